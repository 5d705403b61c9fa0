// What the documents claim, held against the code: names, links, commands, settings, and the generated reference.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { type CliCommand, cliCommands, pages } from "../../scripts/docs.ts";
import { findKey } from "../../src/config/keys.ts";

const files = globSync(["*.md", "docs/**/*.md", "channels/**/*.md"]).sort();
const read = (path: string) => readFileSync(path, "utf8");
const architecture = read("docs/architecture.md");
/** For what a page says about commands: fenced blocks and inline code, without the fences. */
const codeIn = (text: string) =>
  [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```$|`([^`\n]+)`/gm)].map(
    ([, block, inline]) => block ?? inline ?? "",
  );
const slug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => slug(heading));

it("finds the pages it checks", () => {
  for (const page of ["README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/guides/telegram.md"])
    assert.ok(files.includes(page), `${page} is missing`);
});

it("names only functions that exist in the file it names", () => {
  const named = [...architecture.matchAll(/`((?:src|channels)\/[\w./-]+\.ts):([\w$]+)`/g)];
  assert.ok(named.length >= 15, "the walk names its functions");
  const wrong = named.filter(([, path = "", name]) => {
    const defined = new RegExp(`\\b(?:function\\*?|const|class)\\s+${name}\\b`);
    return !existsSync(path) || !defined.test(read(path));
  });
  assert.deepEqual(
    wrong.map(([text]) => text),
    [],
  );
});

it("names only files and folders that exist", () => {
  const wrong = files.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|channels|test|docs|scripts|fixtures)\/[\w./-]*)/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(path.replace(/\.$/, "")))
      .map((path) => `${file}: ${path}`),
  );
  assert.deepEqual(wrong, []);
});

it("shows code and a test for each of the 13 invariants", () => {
  const rows = [...architecture.matchAll(/^\| (\d+) \|(.+)\|(.+)\|(.+)\|$/gm)];
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: 13 }, (_, index) => index + 1),
  );
  for (const [, number, , where = "", shown = ""] of rows) {
    assert.match(where, /`(src|channels)\//, `invariant ${number} lives somewhere`);
    assert.match(shown, /`test\/[\w./-]+\.ts` "/, `a test shows invariant ${number}`);
  }
});

it("quotes only sentences that a test has", () => {
  const quoted = files.flatMap((file) =>
    [...read(file).matchAll(/`(test\/[\w./-]+\.ts)`\s"([^"]+)"/g)].map(
      ([, path = "", sentence = ""]) => ({ file, path, sentence }),
    ),
  );
  assert.ok(quoted.length >= 13);
  const wrong = quoted.filter(
    ({ path, sentence }) =>
      !(read(path).includes(`${sentence}"`) || read(path).includes(`${sentence}\``)),
  );
  assert.deepEqual(wrong, []);
});

it("keeps the architecture page short", () => {
  assert.ok(architecture.trimEnd().split("\n").length <= 200);
});

it("links only to what is there", () => {
  const wrong = files.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^(https?|mailto):/.test(target))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const full = path === "" ? file : join(dirname(file), path);
        if (!existsSync(full)) return true;
        return anchor !== undefined && !anchorsOf(read(full)).includes(anchor);
      })
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(wrong, []);
});

it("shows only commands and options that the command line has", () => {
  const known = cliCommands();
  const calls = files.flatMap((file) => callsIn(read(file)).map((words) => ({ file, words })));
  assert.ok(calls.length >= 30, "the pages show how it is used");
  const wrong = calls.filter(({ words }) => !isCall(known, words));
  assert.deepEqual(
    wrong.map(({ file, words }) => `${file}: ${words.join(" ")}`),
    [],
  );
});

/** The words after `sallyport`, of each call that a page shows. */
function callsIn(text: string): string[][] {
  return codeIn(text)
    .flatMap((code) => code.replaceAll("\\\n", " ").split(/\n|&&|\|(?!\|)/))
    .map((line) => line.replace(/\s#.*$/, ""))
    .flatMap((line) => {
      const call =
        /^[$ ]*(?:\S+=\S+ |nohup |setsid )*(?:npm run -s sallyport --|node src\/cli\/main\.ts|sallyport)(?: (.*))?$/.exec(
          line.trim(),
        );
      return call ? [(call[1] ?? "").split(/\s+/).filter(Boolean)] : [];
    });
}

/** `pair invite --name ana`: its first words are a command, and each option is one of that command's or a global one. */
function isCall(known: readonly CliCommand[], words: readonly string[]): boolean {
  const optionsOf = (command: CliCommand | undefined) =>
    (command?.options ?? []).flatMap(({ term }) => term.match(/--[a-z-]+/g) ?? []);
  const plain = words.join(" ").replace(/^(?:(?:--(?:workspace|state) \S+|--json) ?)*/, "");
  const command = known
    .filter(({ name, isGroup }) => !isGroup && `${plain} `.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)[0];
  const allowed = [...optionsOf(command), ...optionsOf(known.find(({ name }) => name === ""))];
  const used = words
    .filter((word) => word.startsWith("--"))
    .map((word) => word.split("=")[0] ?? "");
  return (command !== undefined || plain === "") && used.every((one) => allowed.includes(one));
}

it("names only npm scripts that exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const wrong = files.flatMap((file) =>
    codeIn(read(file))
      .flatMap((code) => [...code.matchAll(/\bnpm (?:run (?:-s )?)?([a-z][\w:]*)/g)])
      .map(([, name = ""]) => name)
      .filter((name) => !["ci", "install", "exec", "i"].includes(name) && !(name in scripts))
      .map((name) => `${file}: npm ${name}`),
  );
  assert.deepEqual(wrong, []);
});

it("names only settings that exist", () => {
  const wrong = files.flatMap((file) =>
    [...read(file).matchAll(/\bconfig (?:get|set|unset) ([a-z][\w.]*)/g)]
      .map(([, key = ""]) => key)
      .filter((key) => findKey(key) === undefined)
      .map((key) => `${file}: ${key}`),
  );
  assert.deepEqual(wrong, []);
});

it("says nothing about the machine it was written on", () => {
  const wrong = files.filter((file) =>
    /(^|[\s`"'(=])\/(work|home|root|Users|tmp)\//m.test(read(file)),
  );
  assert.deepEqual(wrong, []);
});

it("gives each decision record its three parts, numbered without a gap", () => {
  const records = files.filter((file) => file.startsWith("docs/adr/"));
  for (const [index, file] of records.entries()) {
    const text = read(file);
    assert.match(file, new RegExp(`/${String(index + 1).padStart(4, "0")}-`));
    assert.match(text, new RegExp(`^# ${index + 1}\\. `));
    for (const part of ["Context", "Decision", "Consequences"])
      assert.ok(text.includes(`\n## ${part}\n`), `${file} has ${part}`);
  }
});

it("says why of each dependency", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: object };
  const text = read("docs/adr/0011-dependencies.md");
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !text.includes(name)),
    [],
  );
});

it("has a reference that is what the code generates", () => {
  for (const { path, text } of pages())
    assert.equal(read(path), text, `${path} is old: run node scripts/docs.ts`);
});
