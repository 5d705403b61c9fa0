// What of this machine goes into an image made from it: the programs a coding agent reaches for, where they exist.

/** Without these there is no image. */
export const requiredTools: readonly string[] = ["sh", "ls", "cat", "env"];

export const wantedTools: readonly string[] = [
  ...["bash", "cp", "mv", "rm", "mkdir", "rmdir", "ln", "touch", "chmod", "mktemp", "dd"],
  ...["head", "tail", "wc", "sort", "uniq", "cut", "tr", "tee", "paste", "join", "comm", "nl"],
  ...["date", "echo", "printf", "pwd", "true", "false", "test", "[", "sleep", "timeout", "seq"],
  ...["stat", "find", "grep", "egrep", "fgrep", "sed", "awk", "xargs", "expr", "yes", "split"],
  ...["dirname", "basename", "realpath", "readlink", "which", "whoami", "id", "uname", "nproc"],
  ...["md5sum", "sha1sum", "sha256sum", "base64", "od", "du", "df", "ps", "kill", "nohup"],
  ...["diff", "cmp", "patch", "tar", "gzip", "gunzip", "zcat", "bzip2", "xz", "zip", "unzip"],
  ...["git", "curl", "jq", "rg", "make", "less", "file"],
];

/** Where programs are looked for, before PATH. */
export const toolFolders: readonly string[] = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"];

/** In most systems these are links into /usr; the image has them the same way. */
export const rootLinks: readonly string[] = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** Certificates of authorities, wherever this system keeps them: the first that exists. */
export const certificateFiles: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Where programs in the image look for them. */
export const certificatesInside = "/etc/ssl/certs/ca-certificates.crt";
