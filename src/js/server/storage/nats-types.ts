/** The parts of NATS's packages that `natsStorage` uses. */

/** A connection, such as `connect` of `@nats-io/transport-node` makes. */
export interface NatsConnection {
  /** What the broker has said of itself. `max_payload`: the bytes that a message may have. */
  readonly info?: { max_payload: number } | undefined;
  publish(subject: string, payload: string): void;
  subscribe(
    subject: string,
    options: { callback(error: Error | null, message: { string(): string }): void },
  ): { unsubscribe(): void };
}

export interface StoredMessage {
  /** The number of the message in the stream. Numbers count all subjects together. */
  readonly seq: number;
  readonly data: Uint8Array;
  string(): string;
}

/** The message with a number, the next one of a subject from a number on, or the last one of a subject. */
export type MessageQuery = { seq: number } | { seq: number; next_by_subj: string } | { last_by_subj: string };

export interface StreamManager {
  streams: {
    /** `subjects`: the number of messages of each subject that the filter admits. */
    info(
      stream: string,
      options?: { subjects_filter: string },
    ): Promise<{ state: { last_seq: number; subjects?: { [subject: string]: number } | undefined } }>;
    add(configuration: object): Promise<unknown>;
    getMessage(stream: string, query: MessageQuery): Promise<StoredMessage | null>;
    /** Deletes messages of the subjects that `filter` admits: those before `seq`, all but the last `keep`, or all. */
    purge(stream: string, options: { filter: string; seq?: number; keep?: number }): Promise<unknown>;
  };
}

/** The module `@nats-io/jetstream`. */
export interface JetStreamModule {
  jetstream(connection: NatsConnection): {
    publish(
      subject: string,
      data: Uint8Array,
      options: { expect?: { lastSubjectSequence: number }; timeout: number },
    ): Promise<{ seq: number }>;
  };
  jetstreamManager(connection: NatsConnection): Promise<StreamManager>;
}
