// Server-sent events, read from the body of an answer as it comes.
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** Give it the text piece by piece, cut anywhere; it gives the events that are whole by then. */
export class EventReader {
  #rest = '';

  push(piece: string): SentEvent[] {
    this.#rest += piece;
    const events: SentEvent[] = [];
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(this.#rest);
      if (!end) return events;
      const event = eventOf(this.#rest.slice(0, end.index));
      this.#rest = this.#rest.slice(end.index + end[0].length);
      if (event) events.push(event);
    }
  }
}

/** Undefined for what has no data, as a comment that keeps the connection open. */
function eventOf(block: string): SentEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}
