// Logger interface of the platform: the part of a structured logger that it uses; pino's logger matches it.
export type LogPort = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};
