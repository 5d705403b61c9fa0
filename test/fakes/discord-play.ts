// Plays a person against the fake Discord by hand, or as a script with piped input: npm run fake:discord
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { command, say } from "./discord-play-commands.ts";
import { HELP, openScene, printNews, type Scene, WAIT_MS } from "./discord-play-scene.ts";
import { startDiscordServer } from "./discord-server.ts";
import { quiet } from "./quiet.ts";

const QUIET_MS = 1_500;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: "string", default: "8082" } } });
  const fake = await startDiscordServer({ port: Number(values.port) }).catch((error: Error) => {
    console.error(`Cannot listen on port ${values.port}: ${error.message}. Try --port 0.`);
    process.exit(1);
  });
  const scene = openScene(fake);
  console.log(`Fake Discord at ${fake.url}`);
  console.log(`Token: ${fake.token}`);
  console.log("Connect a gateway to it with:");
  console.log(
    `  echo ${fake.token} | npm run -s sallyport -- channel add discord --api-root ${fake.url} --token-file -`,
  );
  console.log(`\n${HELP}\n`);
  fake.watch(() => printNews(scene));
  const scripted = !process.stdin.isTTY;
  const what = "a bot";
  if (scripted) await fake.waitFor(() => fake.gateway.connected, { timeoutMs: 60_000, what });
  let told = false;
  const input = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  for await (const line of input) {
    const outcome = await obey(scene, line.trim());
    told = outcome === "quit";
    if (told) break;
    if (outcome === "failed" && scripted) process.exitCode = 1;
    if (process.exitCode) break;
  }
  if (scripted && !told) await quiet(fake, { quietMs: QUIET_MS, mostMs: WAIT_MS });
  printNews(scene);
  await fake.close();
}

type Outcome = "done" | "failed" | "quit";

async function obey(scene: Scene, line: string): Promise<Outcome> {
  if (line === "") return "done";
  if (line === ":quit") return "quit";
  try {
    if (!line.startsWith(":")) say(scene, line);
    else await command(scene, line);
    return "done";
  } catch (error) {
    console.log(`! ${error instanceof Error ? error.message : String(error)}`);
    return "failed";
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
