// One container at a person's terminal: what is typed goes in as it is, what is written comes out as it is.
import type { ReadStream, WriteStream } from "node:tty";
import type { Container, ContainerCreateOptions } from "dockerode";
import type { Docker } from "./engine.ts";
import { removeContainer } from "./process.ts";

export interface PersonsTerminal {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
}

export interface AtTerminal {
  readonly docker: Docker;
  readonly container: ContainerCreateOptions;
  readonly terminal: PersonsTerminal;
  /** Ends it. */
  readonly signal: AbortSignal;
}

async function join(container: Container, { stdin, stdout }: PersonsTerminal) {
  const stream = await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  stream.on("error", () => {});
  const toPerson = (chunk: Buffer) => void stdout.write(chunk);
  const toProgram = (chunk: Buffer) => void stream.write(chunk);
  const fit = () => {
    const size = { h: stdout.rows ?? 24, w: stdout.columns ?? 80 };
    // Between its start and its end only; the next change of size tries again.
    container.resize(size).catch(() => {});
  };
  stream.on("data", toPerson);
  stdin.on("data", toProgram);
  stdout.on("resize", fit);
  // A terminal that goes away is said by a signal as well, and ends here in order.
  for (const one of [stdin, stdout]) one.on("error", () => {});
  return {
    begin() {
      stdin.setRawMode(true);
      stdin.resume();
      fit();
    },
    leave() {
      stdin.off("data", toProgram);
      stdout.off("resize", fit);
      stdin.setRawMode(false);
      stdin.pause();
      stream.off("data", toPerson);
      (stream as NodeJS.ReadWriteStream & { destroy(): void }).destroy();
    },
  };
}

/** How it ended. Whatever happens, it is gone afterwards and the terminal is as it was. */
export async function runAtTerminal(options: AtTerminal): Promise<number> {
  const { docker, terminal, signal } = options;
  const container = await docker.createContainer({ ...options.container, Tty: true });
  const end = () => void removeContainer(container).catch(() => {});
  try {
    const joined = await join(container, terminal);
    signal.addEventListener("abort", end, { once: true });
    terminal.stdin.once("end", end);
    try {
      signal.throwIfAborted();
      await container.start();
      joined.begin();
      const { StatusCode }: { StatusCode: number } = await container.wait();
      signal.throwIfAborted();
      return StatusCode;
    } finally {
      joined.leave();
      signal.removeEventListener("abort", end);
      terminal.stdin.off("end", end);
    }
  } finally {
    await removeContainer(container);
  }
}
