// Opens the database and runs operations: all that wait in one tick share one commit.
import type { Op } from "./query.ts";

export interface Store {
  /** Runs `op` in a transaction; it may be run again after a roll-back, so it must do nothing but yield queries. */
  run<T>(op: () => Op<T>): Promise<T>;
  /** The same for what nobody waits for: it goes with the next commit, within 10 ms. */
  runSoon<T>(op: () => Op<T>): Promise<T>;
  /** This gateway's number: raised at each start, so that the rows of a dead gateway are told apart. */
  readonly epoch: number;
  /** Bytes of the database file. */
  size(): number;
  close(): Promise<void>;
}
