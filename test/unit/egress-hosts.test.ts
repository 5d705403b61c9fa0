// Hosts as requests name them, and as the settings do.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isAllowed, targetOfAuthority, targetOfUrl } from "../../src/sandbox/egress/hosts.ts";

const rules: readonly [rule: string, target: string, allowed: boolean][] = [
  ["good.example", "good.example:443", true],
  ["good.example", "good.example:80", true],
  ["good.example", "GOOD.example.:443", true],
  ["GOOD.example.", "good.example:443", true],
  ["good.example", "good.example:8443", false],
  ["good.example", "good.example:22", false],
  ["good.example", "sub.good.example:443", false],
  ["good.example", "evilgood.example:443", false],
  ["*.good.example", "sub.good.example:443", true],
  ["*.good.example", "a.b.good.example:443", true],
  ["*.good.example", "good.example:443", false],
  ["*.good.example", "evilgood.example:443", false],
  ["good.example:8443", "good.example:8443", true],
  ["good.example:8443", "good.example:443", false],
  ["*.good.example:22", "git.good.example:22", true],
  ["bücher.example", "xn--bcher-kva.example:443", true],
  ["xn--bcher-kva.example", "BÜCHER.example:443", true],
  ["8.8.8.8", "134744072:443", true],
  ["*.8.8.8", "8.8.8.8:443", false],
  ["[2606:4700::1]:443", "[2606:4700:0::1]:443", true],
  ["*", "good.example:443", false],
  ["", "good.example:443", false],
  ["good.example/path", "good.example:443", false],
];

it("allows what the rules name, in whatever form a request names it", () => {
  for (const [rule, text, allowed] of rules) {
    const target = targetOfAuthority(text);
    assert.ok(target !== undefined, text);
    assert.equal(isAllowed([rule], target), allowed, `${rule} for ${text}`);
  }
});

it("takes no target with a character that could mislead a person or a shell", () => {
  const odd = ["a;id:443", "$(id).example:443", "a`b:443", "-a.example:443", "a'b:443", "a&b:443"];
  const broken = ["good.example", "good.example:0", "good.example:65536", "user@good.example:443"];
  const more = ["good.example:443/x", "[::1%25lo]:80", ":443", "a..b:443", "a|b:443", "%00:80"];
  for (const text of [...odd, ...broken, ...more])
    assert.equal(targetOfAuthority(text), undefined, text);
  for (const text of ["https://good.example/", "http://u:p@good.example/", "/path", "ftp://x/"])
    assert.equal(targetOfUrl(text), undefined, text);
});
