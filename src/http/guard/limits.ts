// How much one request, one address and all together may take.

export interface Limits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  /** Characters of path and query. */
  readonly target: number;
  /** Bytes of a body on public routes, of JSON elsewhere, and of a file. */
  readonly publicBytes: number;
  readonly jsonBytes: number;
  readonly fileBytes: number;
  readonly headersMs: number;
  /** For the whole body, on public routes and elsewhere. */
  readonly publicBodyMs: number;
  readonly bodyMs: number;
  /** Of a file: between two pieces, and for all of it. */
  readonly fileIdleMs: number;
  readonly requestMs: number;
  /** A connection on which nothing moves, while it is not a stream of events. */
  readonly idleMs: number;
  readonly keepAliveMs: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Open requests: of everybody, and of one stranger's address. Strangers get three quarters. */
  readonly open: number;
  readonly openPerStranger: number;
  /** How often slow requests are looked for. */
  readonly lookMs: number;
  /** How long open requests may go on once the gateway stops. */
  readonly stopMs: number;
}

export const usualLimits: Limits = {
  headerBytes: 16_384,
  target: 4096,
  publicBytes: 65_536,
  jsonBytes: 1_000_000,
  fileBytes: 20 * 1024 * 1024,
  headersMs: 10_000,
  publicBodyMs: 10_000,
  bodyMs: 30_000,
  fileIdleMs: 10_000,
  requestMs: 300_000,
  idleMs: 120_000,
  keepAliveMs: 5_000,
  connections: 1024,
  connectionsPerAddress: 128,
  open: 256,
  openPerStranger: 8,
  lookMs: 1000,
  stopMs: 1000,
};
