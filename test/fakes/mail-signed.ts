// Mails of people of test domains, put together byte by byte and signed with keys that the test's DNS server serves.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { type DKIMSignOptions, dkimSign } from "mailauth";
import type { MailDns } from "./mail-dns.ts";

export type KeyKind = "rsa2048" | "rsa1024" | "rsa512" | "ed25519";

export interface DomainKey {
  readonly domain: string;
  readonly selector: string;
  readonly kind: KeyKind;
  readonly privateKey: KeyObject;
  /** The TXT record at SELECTOR._domainkey.DOMAIN. */
  readonly record: string;
}

export interface KeyOptions {
  readonly selector?: string;
  readonly kind?: KeyKind;
  /** Further tags of the record: `t=y`, `h=sha256`. */
  readonly tags?: string;
}

/** A key of a domain; with `dns` it is served there at once. */
export function domainKey(domain: string, options: KeyOptions = {}, dns?: MailDns): DomainKey {
  const { selector = "s1", kind = "rsa2048", tags } = options;
  const [privateKey, p] = kind === "ed25519" ? ed25519() : rsa(Number(kind.slice(3)));
  const record = ["v=DKIM1", `k=${kind === "ed25519" ? "ed25519" : "rsa"}`, tags, `p=${p}`];
  const key = { domain, selector, kind, privateKey, record: record.filter(Boolean).join("; ") };
  dns?.txt(keyName(key), key.record);
  return key;
}

export function keyName({ domain, selector }: Pick<DomainKey, "domain" | "selector">): string {
  return `${selector}._domainkey.${domain}`;
}

/** Key and DMARC policy of a domain, served at once. */
export function mailDomain(domain: string, dns: MailDns, options: KeyOptions = {}): DomainKey {
  dns.txt(`_dmarc.${domain}`, "v=DMARC1; p=reject");
  return domainKey(domain, options, dns);
}

function rsa(modulusLength: number): [KeyObject, string] {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength });
  return [privateKey, publicKey.export({ type: "spki", format: "der" }).toString("base64")];
}

function ed25519(): [KeyObject, string] {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const der = publicKey.export({ type: "spki", format: "der" });
  return [privateKey, der.subarray(-32).toString("base64")];
}

export interface MailParts {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly date?: Date;
  /** With angle brackets; made up when absent. */
  readonly messageId?: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  /** Further header lines, after those above; each without its line break. */
  readonly headers?: readonly string[];
  /** Line breaks become CRLF. */
  readonly text?: string;
}

let count = 0;

/** A plain text mail, not signed. */
export function plainMail(parts: MailParts): Buffer {
  const { subject = "Hello", date = new Date(), text = "Hello agent.\n" } = parts;
  count += 1;
  const id = parts.messageId ?? `<${process.pid}.${Date.now()}.${count}@mailer.test>`;
  const lines = [
    `From: ${parts.from}`,
    `To: ${parts.to}`,
    `Subject: ${subject}`,
    `Date: ${date.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: ${id}`,
    parts.inReplyTo && `In-Reply-To: ${parts.inReplyTo}`,
    parts.references?.length && `References: ${parts.references.join("\r\n ")}`,
    "MIME-Version: 1.0",
    ...(parts.headers?.some((line) => /^content-type:/i.test(line))
      ? []
      : ["Content-Type: text/plain; charset=utf-8"]),
    ...(parts.headers ?? []),
  ].filter((line) => typeof line === "string");
  return rawMail(lines, text);
}

/** Header lines as they are, an empty line, the body with CRLF. */
export function rawMail(lines: readonly string[], body: string): Buffer {
  const text = body.replace(/\r?\n/g, "\r\n");
  return Buffer.from(`${lines.map((line) => `${line}\r\n`).join("")}\r\n${text}`);
}

export interface SignOptions {
  /** h=, instead of what mailauth signs. */
  readonly h?: readonly string[];
  /** l= */
  readonly l?: number;
  /** t=; now when absent. */
  readonly t?: Date;
  /** x= */
  readonly x?: Date;
  /** i= */
  readonly i?: string;
  readonly canonicalization?: string;
  readonly sha1?: true;
  /** d= that is not the domain of the key. */
  readonly d?: string;
}

/** The same mail with a signature on top; signing twice puts a second one above the first. */
export async function signed(
  raw: Buffer,
  key: DomainKey,
  options: SignOptions = {},
): Promise<Buffer> {
  const { h, l, t, x, i, canonicalization, sha1, d } = options;
  const algorithm = key.kind === "ed25519" ? "ed25519-sha256" : sha1 ? "rsa-sha1" : "rsa-sha256";
  const signature: DKIMSignOptions = {
    signingDomain: d ?? key.domain,
    selector: key.selector,
    privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    algorithm,
    signTime: t ?? new Date(),
    ...(h && { headerList: h.join(":") }),
    ...(l !== undefined && { maxBodyLength: l }),
    ...(x && { expires: x }),
    ...(i && { identity: i }),
    ...(canonicalization && { canonicalization }),
  };
  const { signatures, errors } = await dkimSign(raw, {
    ...signature,
    signatureData: [signature],
  });
  if (errors[0]) throw errors[0].err;
  return Buffer.concat([Buffer.from(signatures), raw]);
}

/** A plain text mail, signed by the domain of the key. */
export async function signedMail(
  parts: MailParts,
  key: DomainKey,
  options?: SignOptions,
): Promise<Buffer> {
  return signed(plainMail(parts), key, options);
}

/**
 * Signed by hand, for what no honest signer writes: `tags` are all tags in their order but b=, where `BH` stands for the
 * hash of the body (`v=1; a=rsa-sha256; c=relaxed/relaxed; d=…; s=…; h=subject; bh=BH`); rsa-sha256 and relaxed/relaxed only.
 */
export function handSigned(raw: Buffer, key: DomainKey, tags: string): Buffer {
  const end = raw.indexOf("\r\n\r\n");
  const body = relaxedBody(raw.subarray(end + 4).toString("latin1"));
  const bh = createHash("sha256").update(body, "latin1").digest("base64");
  const head = `DKIM-Signature: ${tags.replace("BH", bh)}; b=`;
  const lines = raw
    .subarray(0, end)
    .toString("latin1")
    .split(/\r\n(?![ \t])/);
  const wanted = /(?:^|;)\s*h=([^;]*)/.exec(tags)?.[1] ?? "";
  const covered = wanted.split(":").flatMap((name) => {
    const at = lines.findLastIndex((line) => fieldName(line) === name.trim().toLowerCase());
    return at < 0 ? [] : lines.splice(at, 1);
  });
  const text = [...covered.map((line) => `${relaxedLine(line)}\r\n`), relaxedLine(head)].join("");
  const b = sign("sha256", Buffer.from(text, "latin1"), key.privateKey).toString("base64");
  return Buffer.concat([Buffer.from(`${head}${b}\r\n`), raw]);
}

function fieldName(line: string): string {
  return line.slice(0, line.indexOf(":")).trim().toLowerCase();
}

function relaxedLine(line: string): string {
  const value = line.slice(line.indexOf(":") + 1).replace(/\r\n/g, "");
  return `${fieldName(line)}:${value.replace(/[ \t]+/g, " ").trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${line}\r\n`).join("");
}
