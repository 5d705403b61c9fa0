// A certificate for servers on loopback, made anew for every test process that wants one.
import { execFileSync } from "node:child_process";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Signed by itself: whoever is to trust it takes `cert` as the authority. */
export function makeCertificate(names: readonly string[] = ["localhost"]): Certificate {
  const alternatives = [...names.map((name) => `DNS:${name}`), "IP:127.0.0.1"].join(",");
  const made = execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"],
      ...["-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", "-", "-out", "-"],
      ...["-subj", `/CN=${names[0]}`, "-addext", `subjectAltName=${alternatives}`],
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 },
  );
  const block = (what: RegExp) => what.exec(made)?.[0] ?? "";
  return {
    key: block(/-----BEGIN (?:EC )?PRIVATE KEY-----.+?-----END (?:EC )?PRIVATE KEY-----\n/s),
    cert: block(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n/s),
  };
}
