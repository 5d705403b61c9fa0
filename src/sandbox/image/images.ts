// The images that we made, and how one goes.
import { type Docker, inWords, isInUse, isMissing } from "../docker/engine.ts";

export const imageRepository = "sallyport-agent";
/** On every image that we made, with how it was made. */
export const imageLabel = "sallyport.image";

export interface ImageRow {
  readonly name: string;
  readonly megabytes: number;
  /** In milliseconds since 1970. */
  readonly made: number;
}

export type Images =
  | { readonly ok: true; readonly images: readonly ImageRow[] }
  | { readonly ok: false; readonly problem: string };

/** One that has lost its name, to another of that name, is known by its id. */
function namesOf(id: string, tags: readonly string[]): readonly string[] {
  const named = tags.filter((tag) => tag !== "<none>:<none>");
  return named.length > 0 ? named : [id.replace(/^sha256:/, "").slice(0, 12)];
}

/** Newest first. */
export async function imageList(docker: Docker): Promise<Images> {
  try {
    const found = await docker.listImages({ filters: { label: [imageLabel] } });
    const rows = found.flatMap(({ Id, RepoTags, Size, Created }) =>
      namesOf(Id, RepoTags ?? []).map((name) => ({
        name,
        megabytes: Math.round(Size / 1e6),
        made: Created * 1000,
      })),
    );
    return { ok: true, images: rows.sort((a, b) => b.made - a.made) };
  } catch (error) {
    return { ok: false, problem: inWords(error, "list the images") };
  }
}

/** What went wrong, or undefined. Only what we made is removed, and nothing that a container uses. */
export async function imageRemove(docker: Docker, name: string): Promise<string | undefined> {
  try {
    const { Config } = await docker.getImage(name).inspect();
    if (Config.Labels?.[imageLabel] === undefined) return `${name} was not made by Sallyport.`;
    await docker.getImage(name).remove();
    return undefined;
  } catch (error) {
    if (isMissing(error)) return `There is no image ${name}. See: sallyport image list`;
    if (isInUse(error))
      return `${name} is in use by a container. It can be removed when that is gone: docker ps -a`;
    return inWords(error, "remove the image");
  }
}

export async function imageExists(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
