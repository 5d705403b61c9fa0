// Why a request was not made or its answer not taken; the message may be shown and logged.

export class Refused extends Error {
  override readonly name = "Refused";
}
