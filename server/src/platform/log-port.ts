/** The part of a structured logger that the platform uses; pino's logger matches it. */
export type LogPort = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};
