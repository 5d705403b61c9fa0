// Whom an entry of access.allowEmail covers, and which domains say nothing about who has an address there.

/** ASCII on both sides, so that what only looks alike never matches. A plus-tag is somebody else. */
export function covers(entry: string, address: string): boolean {
  if (!isPlain(entry) || !isPlain(address)) return false;
  const [wanted, given] = [entry.toLowerCase(), address.toLowerCase()];
  const [local, domain = "", ...more] = given.split("@");
  if (!local || !domain || more.length > 0) return false;
  if (wanted.includes("@")) return wanted === given;
  return wanted.startsWith("*.") ? domain.endsWith(wanted.slice(1)) : wanted === domain;
}

export function covering(entries: readonly string[], address: string): string[] {
  return entries.filter((entry) => covers(entry, address));
}

function isPlain(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Anyone can get an address there: a whole domain of these is everybody. */
const open: ReadonlySet<string> = new Set(
  `aim.com aol.com att.net bk.ru bluewin.ch btinternet.com comcast.net cox.net daum.net duck.com email.com
  fastmail.com fastmail.fm free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com
  hanmail.net hey.com hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it hushmail.com
  icloud.com inbox.ru interia.pl laposte.net libero.it list.ru live.com live.de mac.com mail.com mail.de mail.ru
  mailbox.org mailfence.com mailinator.com me.com msn.com naver.com o2.pl onet.pl orange.fr outlook.com
  outlook.de outlook.es outlook.fr pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com rediffmail.com
  rocketmail.com runbox.com seznam.cz sfr.fr sina.com sohu.com t-online.de terra.com.br tuta.com tuta.io
  tutanota.com tutanota.de uol.com.br verizon.net virgilio.it wanadoo.fr web.de wp.pl yahoo.co.jp yahoo.co.uk
  yahoo.com yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru ya.ru yeah.net ymail.com zoho.com 126.com
  139.com 163.com 21cn.com`.split(/\s+/),
);

/** The domain, when an entry lets in everybody who cares to get an address there; one address of it is fine. */
export function openDomainIn(entry: string): string | undefined {
  const domain = domainOf(entry);
  return !entry.includes("@") && open.has(domain) ? domain : undefined;
}

/** Domains under which anybody gets one of their own. */
const suffixes: ReadonlySet<string> = new Set(
  `co.uk org.uk me.uk ltd.uk plc.uk net.uk com.au net.au org.au id.au co.nz net.nz org.nz co.jp ne.jp or.jp
  com.br net.br org.br com.cn net.cn org.cn com.mx com.tr com.ar com.sg com.hk com.tw com.my com.ua com.pl net.pl
  org.pl com.es com.fr com.pt com.gr com.ru com.co com.pe com.ve co.in net.in org.in co.kr or.kr co.za org.za
  co.il org.il co.th co.id co.at or.at uk.com us.com eu.com de.com eu.org
  github.io gitlab.io pages.dev workers.dev vercel.app netlify.app herokuapp.com web.app firebaseapp.com
  appspot.com blogspot.com azurewebsites.net cloudfront.net amazonaws.com fly.dev onrender.com ngrok.io
  ngrok-free.app duckdns.org dyndns.org ddns.net no-ip.org hopto.org zapto.org dynv6.net dedyn.io`.split(
    /\s+/,
  ),
);

/** The entry names no one's domain: everybody can have one below it. */
export function isSuffix(entry: string): boolean {
  return suffixes.has(domainOf(entry));
}

function domainOf(entry: string): string {
  return entry
    .slice(entry.lastIndexOf("@") + 1)
    .replace(/^\*\./, "")
    .toLowerCase();
}
