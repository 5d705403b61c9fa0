// The stream of events: opened again after every loss, and whoever shows something hears when to fetch it again.
// @ts-check

/** @typedef {import("../../core/page.ts").WebEvent} WebEvent */

/**
 * @typedef {object} Hearer
 * @property {(event: WebEvent) => void} event
 * @property {() => void} lost
 * @property {(whole: boolean) => void} opened Whole: what was missed comes now. A fetch may have failed meanwhile all the same.
 * @property {() => Promise<boolean>} welcome May it be tried again? After it was refused.
 */

const hiddenFor = 60_000;

/** @param {Hearer} hearer */
export function createStream(hearer) {
  /** @type {EventSource | null} */
  let source = null;
  let wait = 1000;
  let over = false;
  /** Where the last source stood. */
  let last = "";
  let timer = 0;

  const close = () => {
    source?.close();
    source = null;
    clearTimeout(timer);
  };

  const open = () => {
    close();
    if (over) return;
    const mine = new EventSource(`/api/events${last ? `?after=${encodeURIComponent(last)}` : ""}`);
    source = mine;
    let resumed = last !== "";
    mine.onopen = () => {
      wait = 1000;
      // The browser resumes by itself with the last id; a source that never told one was not there.
      hearer.opened(resumed);
      resumed = true;
    };
    mine.onmessage = ({ data, lastEventId }) => {
      last = lastEventId || last;
      const event = parse(data);
      if (event) hearer.event(event);
    };
    mine.onerror = () => {
      hearer.lost();
      if (mine.readyState === EventSource.CLOSED && source === mine) void again();
    };
  };

  const again = async () => {
    close();
    if (!(await hearer.welcome())) return;
    timer = window.setTimeout(open, wait);
    wait = Math.min(15_000, wait * 2);
  };

  const end = () => {
    over = true;
    close();
  };
  return {
    start() {
      open();
      watch({ open, close, lost: hearer.lost, isOpen: () => source !== null });
    },
    end,
  };
}

/**
 * A page that nobody sees gives its connection back: a browser has six for one address.
 * @param {{open(): void, close(): void, lost(): void, isOpen(): boolean}} stream
 */
function watch({ open, close, lost, isOpen }) {
  let timer = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(close, hiddenFor);
    else if (!isOpen()) open();
  });
  window.addEventListener("offline", () => {
    close();
    lost();
  });
  window.addEventListener("online", open);
}

/** @param {string} data @returns {WebEvent | null} */
function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
