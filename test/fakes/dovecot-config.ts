// The settings of a Dovecot that runs as whoever runs the tests, all of it in one folder.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { mailOwner, ownMail } from "./dovecot-maildir.ts";
import type { Certificate } from "./mail-certificate.ts";

export interface DovecotSettings {
  /** `none`: no STARTTLS on the plain port, and no TLS port. */
  readonly tls?: "offered" | "none";
  /** What the server says that it can do after signing in, instead of all it can. */
  readonly capability?: string;
  /** An address that says whose an OAuth2 token is: asked with the token put at its end, answers JSON with `email`. */
  readonly introspection?: string;
}

export interface Place {
  readonly folder: string;
  readonly accounts: Readonly<Record<string, string>>;
  readonly certificate: Certificate;
  readonly ports: { readonly imap: number; readonly imaps: number; readonly lmtp: number };
  readonly settings: DovecotSettings;
}

/** The result is the file to start it with. */
export function configure(place: Place): string {
  const { folder, accounts, certificate, settings } = place;
  // What checks passwords is another user where root runs the tests.
  chmodSync(folder, 0o711);
  for (const name of ["run", "state", "mail"]) mkdirSync(join(folder, name), { recursive: true });
  const write = (name: string, text: string, mode = 0o600) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode });
    return path;
  };
  ownMail(join(folder, "mail"));
  write("server.crt", certificate.cert);
  write("server.key", certificate.key);
  const users = Object.entries(accounts).map(
    ([name, password]) => `${name}:{PLAIN}${password}::::::\n`,
  );
  write("users", users.join(""), 0o644);
  if (settings.introspection !== undefined)
    write(
      "oauth2.conf",
      `introspection_url = ${settings.introspection}\nintrospection_mode = get\nusername_attribute = email\nactive_attribute = active\nactive_value = yes\nforce_introspection = yes\n`,
    );
  return write("dovecot.conf", textOf(place));
}

function textOf(place: Place): string {
  const { folder, settings } = place;
  const { username, gid } = userInfo();
  // Neither its own processes nor mail may be root's.
  const [user, group] = mailOwner ? ["nobody", "nogroup"] : [username, String(gid)];
  const { uid, gid: mailGroup } = mailOwner ?? userInfo();
  const tls = settings.tls !== "none";
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap lmtp
listen = 127.0.0.1
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 0
first_valid_gid = 0
disable_plaintext_auth = no
auth_failure_delay = 0
auth_mechanisms = plain login${settings.introspection === undefined ? "" : " xoauth2 oauthbearer"}
mail_location = maildir:${folder}/mail/%u
mail_max_userip_connections = 50
mailbox_idle_check_interval = 1 secs
${tls ? `ssl = yes\nssl_cert = <${folder}/server.crt\nssl_key = <${folder}/server.key` : "ssl = no"}
${oauth(folder, settings)}
passdb {
  driver = passwd-file
  args = username_format=%u ${folder}/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${mailGroup} home=${folder}/mail/%u
}
${services(place)}
protocol imap {
${settings.capability === undefined ? "" : `  imap_capability = ${settings.capability}`}
}
protocol lmtp {
  postmaster_address = postmaster@localhost
}
`;
}

function oauth(folder: string, { introspection }: DovecotSettings): string {
  if (introspection === undefined) return "";
  return `passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${folder}/oauth2.conf
}`;
}

function services({ ports, settings }: Place): string {
  return `
service anvil {
  chroot =
  # Whoever was refused is not kept waiting.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${settings.tls === "none" ? 0 : ports.imaps}
    ssl = yes
  }
}
service lmtp {
  chroot =
  inet_listener lmtp {
    port = ${ports.lmtp}
  }
}
`;
}
