/** The part of a structured logger that platform code uses; a pino logger fits. */
export type LogPort = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};
