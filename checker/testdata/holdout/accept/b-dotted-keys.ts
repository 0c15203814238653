export function fieldError(errors: Record<string, string>, index: number, name: string): string | undefined {
  return errors[`items.${index}.${name}`] ?? errors[`${name}.message`];
}
