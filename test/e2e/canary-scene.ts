// Two people with a direct chat each and a group of both: what one says in private, with a canary in it, and where it must not be.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

interface SentFile {
  readonly name: string;
  readonly content: string;
}

/** One person on the platform. */
export interface Speaker {
  says(text: string, file?: SentFile): void;
  /** In the group, addressed to the bot. */
  saysInGroup(text: string): void;
  /** All that we show to this person alone: texts, names of files and what is in them, notices. */
  sees(): string;
  until(pattern: RegExp): Promise<unknown>;
  /** Presses the newest button of this label in their direct chat. */
  press(label: string): void;
}

/** A gateway whose agent is the fake one, with `record` as in `recordName`; the group is open. */
export interface CanaryScene {
  /** An owner. */
  readonly ana: Speaker;
  /** Authenticated. */
  readonly ben: Speaker;
  seenInGroup(): string;
  untilInGroup(pattern: RegExp): Promise<unknown>;
  readonly workspace: string;
  readonly homes: string;
  /** The gateway's log, at level info. */
  readonly log: readonly string[];
  restart(): Promise<void>;
}

export const recordName = "prompts.jsonl";
const canary = "canary-4f1d9";
const ofBen = "words-of-ben";

/** Plays it, and asserts where the canary was seen and where not. */
export async function playCanary(scene: CanaryScene): Promise<void> {
  await anaIsPrivate(scene);
  await benLooksAround(scene, "before");
  await scene.restart();
  await benLooksAround(scene, "after");
  const { ana, ben } = scene;
  for (const where of ["sees", "answer", "card"])
    assert.ok(ana.sees().includes(`${canary}-${where}`), `${where} in ${ana.sees()}`);
  assert.doesNotMatch(ben.sees(), new RegExp(canary));
  assert.doesNotMatch(scene.seenInGroup(), new RegExp(canary));
  assertAgents(scene);
  assertHomes(scene);
  assert.ok(scene.log.length > 0);
  assert.doesNotMatch(scene.log.join("\n"), new RegExp(canary));
}

async function anaIsPrivate({ ana, workspace, ...scene }: CanaryScene): Promise<void> {
  const sent = { name: `${canary}-file.txt`, content: `${canary}-content` };
  ana.says(`echo ${canary}-sees`, sent);
  await ana.until(new RegExp(`${canary}-sees`));
  const made = { uri: `file:///made/${canary}-answer.txt`, text: `${canary}-answer` };
  ana.says(`content ${JSON.stringify({ type: "resource", resource: made })}\necho made it`);
  await ana.until(/made it/);
  const used = { toolCallId: "t1", kind: "search", title: `${canary}-tool`, status: "completed" };
  ana.says(
    `tool ${JSON.stringify({ ...used, rawOutput: { text: `${canary}-output` } })}\necho used it`,
  );
  await ana.until(/used it/);
  ana.says(`do ${join(workspace, `${canary}-card.txt`)}`);
  await ana.until(/Create canary-4f1d9-card\.txt/);
  // While it is open, in the group of both: the list is hers alone.
  ana.saysInGroup("/tasks");
  ana.saysInGroup("/approvals");
  await ana.until(/`allow \d+` or `deny \d+|allow \d+ or deny \d+/);
  ana.press("Deny");
  await ana.until(/answer: no/);
  ana.says(`echo ${canary} and then\nerror ${canary} broke`);
  await ana.until(/could not finish/);
  ana.saysInGroup("echo words for all");
  await scene.untilInGroup(/words for all/);
}

async function benLooksAround(
  { ben, untilInGroup }: CanaryScene,
  round: "before" | "after",
): Promise<void> {
  ben.says(`echo ${ofBen} ${round}`, { name: "ben.txt", content: ofBen });
  await ben.until(new RegExp(`${ofBen} ${round}`));
  for (const command of ["/tasks", "/status", "/approvals", "allow 1", "retry", "/stop"]) {
    ben.says(command);
    ben.saysInGroup(command);
  }
  ben.saysInGroup(`echo ${ofBen} in the group ${round}`);
  await untilInGroup(new RegExp(`${ofBen} in the group ${round}`));
  ben.says("/whoami");
  await ben.until(/You are ben/);
}

/** Each person has an agent of their own: whatever one was given that knows Ben holds no canary. */
function assertAgents({ workspace }: CanaryScene): void {
  const given = new Map<string, string>();
  for (const line of readFileSync(join(workspace, recordName), "utf8").trim().split("\n")) {
    const { params } = JSON.parse(line) as { params?: { sessionId?: string } };
    const [, agent] = /^s(\d+)-/.exec(params?.sessionId ?? "") ?? [];
    if (agent) given.set(agent, (given.get(agent) ?? "") + line);
  }
  const all = [...given.values()];
  const bens = all.filter((words) => words.includes(ofBen));
  assert.ok(bens.length > 0);
  assert.ok(all.some((words) => words.includes(canary)));
  for (const words of bens) assert.doesNotMatch(words, new RegExp(canary));
}

function assertHomes({ homes }: CanaryScene): void {
  const contents = readdirSync(homes).map((home) => everythingIn(join(homes, home)));
  const bens = contents.filter((content) => content.includes(ofBen));
  assert.equal(bens.length, 1);
  assert.doesNotMatch(bens.join("\n"), new RegExp(canary));
  const hers = contents.filter((content) => content.includes(canary));
  assert.equal(hers.length, 1);
  assert.match(hers.join("\n"), new RegExp(`${canary}-file[\\s\\S]*${canary}-content`));
}

/** Names and contents, in one text. */
function everythingIn(folder: string): string {
  if (!existsSync(folder)) return "";
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => {
      const path = join(folder, name);
      return statSync(path).isFile() ? `${name}\n${readFileSync(path, "latin1")}` : name;
    })
    .join("\n");
}
