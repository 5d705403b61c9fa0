// Coming in and going: sign-in by a link or a code, sign-out, a token for a program, and who am I.
import { z } from "zod";
import type { Visitor } from "../../access/visitor.ts";
import type { Me, Paired, SignIn } from "../../core/page.ts";
import type { From, GuardedRoute } from "../guard/route.ts";
import { answer, bodyOf, pairingOf, refusal } from "./answer.ts";

/** Where an attempt comes from: failed ones are counted by it. */
export type Attempt = Pick<From, "address" | "local">;

/** Decides who comes in; what it refuses is counted and noted there. */
export interface Doorkeeper {
  signIn(
    given: SignIn,
    from: Attempt,
  ): Promise<
    { readonly cookie: string; readonly maxAgeMs: number; readonly visitor: Visitor } | "refused"
  >;
  exchange(code: string, from: Attempt): Promise<Paired | "refused">;
  signOut(cookie: string): Promise<void>;
}

export interface SignInPorts {
  readonly visitors: Doorkeeper;
  /** `sallyport_` and the port: two gateways on one machine share a host name, and so the browser's cookies. */
  cookieName(): string;
  about(): Pick<Me, "agent" | "sandbox">;
  /** Bytes of one file. */
  readonly fileMost: number;
  /** This session is over: its pages are told at once. */
  onSignOut(visitor: Visitor): void;
}

const secret = z.string().min(1).max(500);
const signIn = z.union([z.strictObject({ link: secret }), z.strictObject({ code: secret })]);
const pair = z.object({ code: secret });

// One text for all reasons: it must not tell a guess that came close from one that did not.
const refused =
  "This link or code does not count: each works once, and not for long. Ask for a new one. After several failed attempts, wait a while first.";

export function signInRoutes(ports: SignInPorts): GuardedRoute[] {
  return [
    {
      method: "POST",
      path: "/sign-in",
      access: "public",
      body: "json",
      handle: (request, from) => onSignIn(ports, request, from),
    },
    {
      method: "POST",
      path: "/sign-out",
      access: "caller",
      body: "none",
      handle: (request, from) => onSignOut(ports, request, from),
    },
    {
      method: "POST",
      path: "/pair",
      access: "public",
      body: "json",
      async handle(request, from) {
        const given = await bodyOf(request, pair);
        if (!given) return refusal(400, 'Send {"code": "…"} with the code that you were given.');
        const paired = await ports.visitors.exchange(given.code, attemptOf(from));
        return paired === "refused" ? refusal(403, refused) : answer(paired);
      },
    },
    {
      method: "GET",
      path: "/api/me",
      access: "caller",
      body: "none",
      handle: async (_, { visitor }) => answer(meOf(ports, visitor)),
    },
  ];
}

async function onSignIn(ports: SignInPorts, request: Request, from: From): Promise<Response> {
  const given = await bodyOf(request, signIn);
  if (!given) return refusal(400, 'Send {"link": "…"} or {"code": "…"}.');
  const signed = await ports.visitors.signIn(given, attemptOf(from));
  if (signed === "refused") return refusal(403, refused);
  const cookie = cookieOf(ports, from, { value: signed.cookie, maxAgeMs: signed.maxAgeMs });
  return answer(meOf(ports, signed.visitor), { "set-cookie": cookie });
}

async function onSignOut(
  ports: SignInPorts,
  request: Request,
  from: From & { readonly visitor: Visitor },
): Promise<Response> {
  const cookie = cookieIn(request, ports.cookieName());
  if (from.visitor.by !== "session" || cookie === undefined)
    return refusal(
      400,
      "A token has no session to end. `sallyport pair set NAME --rotate` ends it.",
    );
  await ports.visitors.signOut(cookie);
  ports.onSignOut(from.visitor);
  return answer({}, { "set-cookie": cookieOf(ports, from, { value: "", maxAgeMs: 0 }) });
}

function attemptOf({ address, local }: From): Attempt {
  return { address, local };
}

function cookieOf(
  { cookieName }: SignInPorts,
  { origin }: From,
  { value, maxAgeMs }: { value: string; maxAgeMs: number },
): string {
  const seconds = Math.floor(maxAgeMs / 1000);
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName()}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
}

function cookieIn(request: Request, name: string): string | undefined {
  const all = (request.headers.get("cookie") ?? "").split(";").map((one) => one.trim());
  return all.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}

function meOf({ about, fileMost }: SignInPorts, visitor: Visitor): Me {
  const { caller, operator, expiresAt } = visitor;
  return {
    name: caller.name,
    role: caller.role === "owner" ? "owner" : "authenticated",
    operator,
    chat: pairingOf(visitor),
    ...about(),
    fileMost,
    expiresAt,
  };
}
