// The page's templates: htm on preact. Every text goes in as a text node; nothing here or elsewhere makes HTML of a string.
// @ts-check
import htm from "htm";
import { h } from "preact";

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = /** @type {any} */ (htm).bind(h);
