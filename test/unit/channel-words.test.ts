// What is said of a channel that is not let in, or does not take a value.
import assert from "node:assert/strict";
import { it } from "node:test";
import { configSchema } from "../../channels/email/config.ts";
import { channelOfSecret, signInAnew } from "../../src/admin/channel-secrets.ts";
import { inWords, named } from "../../src/admin/channel-words.ts";

it("names the secrets that a channel signs in with", () => {
  const slack = { id: "work", kind: "slack" };
  assert.equal(
    signInAnew(slack, ["work.token", "work.signingSecret"]),
    "Set it anew with: sallyport secret set work.token, or: sallyport secret set work.signingSecret",
  );
  const mailbox = { id: "email", kind: "email" };
  assert.match(signInAnew(mailbox, ["email.dkimKey"]), /: sallyport secret set email\.password$/);
  assert.match(signInAnew({ ...mailbox, tokenCommand: "x" }, []), /channels\.email\.tokenCommand/);
});

it("knows whose a secret is", () => {
  const channels = { work: { kind: "slack" }, email: { kind: "email" } } as const;
  for (const name of ["work.token", "work.appToken", "work.signingSecret"])
    assert.equal(channelOfSecret(channels, name), "work");
  for (const name of ["email.password", "email.dkimKey"])
    assert.equal(channelOfSecret(channels, name), "email");
  for (const name of [
    "email.token",
    "email",
    "other.token",
    "email.password.x",
    "constructor.token",
  ])
    assert.equal(channelOfSecret(channels, name), undefined);
});

it("says in plain words what a value may be", () => {
  const { shape } = configSchema;
  const says = (key: keyof typeof shape, value: unknown) =>
    inWords(shape[key].safeParse(value).error?.issues[0]?.message ?? "");
  assert.equal(says("progress", "maybe"), "it is on or off");
  assert.equal(says("idleSeconds", "soon"), "it is a number");
  assert.equal(says("idleSeconds", "2000"), "it is at most 1500");
  assert.equal(says("idleSeconds", "0"), "it is at least 0.05");
  assert.equal(says("folder", ""), "it cannot be empty");
  assert.equal(says("folder", "x".repeat(300)), "it has at most 255 characters");
  assert.equal(says("dkimDomain", "a b"), "it does not look like what belongs here");
  assert.equal(named("work", "Set channels.ID.folder."), "Set channels.work.folder.");
});
