// What we use of html-to-text, which brings no types of its own.
declare module "html-to-text" {
  export interface HtmlNode {
    readonly type: string;
    readonly name?: string;
    readonly data?: string;
    readonly attribs?: Record<string, string>;
    children?: HtmlNode[];
  }
  export interface TextBuilder {
    openBlock(options?: { leadingLineBreaks?: number }): void;
    closeBlock(options?: { trailingLineBreaks?: number }): void;
  }
  export type Formatter = (
    element: HtmlNode,
    walk: (nodes: readonly HtmlNode[] | undefined, builder: TextBuilder) => void,
    builder: TextBuilder,
  ) => void;
  export interface Options {
    wordwrap?: number | false;
    baseElements?: { selectors: string[]; returnDomByDefault: boolean };
    limits?: { maxDepth?: number; ellipsis?: string };
    formatters?: Record<string, Formatter>;
    selectors?: { selector: string; format?: string; options?: Record<string, unknown> }[];
  }
  export function compile(options: Options): (html: string) => string;
}
