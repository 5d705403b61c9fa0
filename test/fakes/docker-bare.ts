// The floor: a container as Docker starts it when nobody asks for more, with the same agent in it.
import { PassThrough } from "node:stream";
import { docker, image } from "./docker-rig.ts";

export interface BareContainer {
  readonly id: string;
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  end(): Promise<void>;
}

export async function startBare(program: string, args: readonly string[]): Promise<BareContainer> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: [program, ...args],
    OpenStdin: true,
    StdinOnce: true,
    Labels: { "sallyport-bench": "floor" },
  });
  const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true });
  const stdout = new PassThrough();
  docker.modem.demuxStream(stream, stdout, new PassThrough());
  await container.start();
  return {
    id: container.id,
    stdin: stream,
    stdout,
    async end() {
      await container.remove({ force: true });
      stream.end();
    },
  };
}
