export interface StreamMessage {
  readonly event: string;
  readonly id?: string;
  readonly data: any;
}

/** Reads a `text/event-stream` response; `text` returns what is not yet a complete message. */
export function readEventStream(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let lastId: string | undefined;
  const messages: StreamMessage[] = [];
  return {
    /** Undefined after the end. */
    async next(): Promise<StreamMessage | undefined> {
      while (messages.length === 0) {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }));
        if (done) return undefined;
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop()!;
        for (const part of parts) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
          const [event, id, data] = [field('event'), field('id'), field('data')];
          if (id !== undefined) lastId = id;
          if (event !== undefined) messages.push({ event, ...(id && { id }), data: JSON.parse(data!) });
        }
      }
      return messages.shift();
    },
    lastId: () => lastId,
    text: () => text,
  };
}
