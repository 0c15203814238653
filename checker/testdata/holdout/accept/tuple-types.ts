type Head<T extends readonly unknown[]> = T extends readonly [infer H, ...unknown[]] ? H : never;
type DeepReadonly<T> = T extends Function ? T : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Getters<T> = { [K in keyof T & string as `get${Capitalize<K>}`]: () => T[K] };
export type { DeepReadonly, Getters, Head };
export const first = <const T extends readonly unknown[]>(xs: T): Head<T> => xs[0] as Head<T>;
