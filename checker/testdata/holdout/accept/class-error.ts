export class NotFoundError extends Error {
  override name = "NotFoundError";
  readonly status = 404;
}

export function isNotFound(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError;
}
