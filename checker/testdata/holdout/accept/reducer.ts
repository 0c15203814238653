type Action = { type: "add"; id: string } | { type: "remove"; id: string } | { type: "clear" };
type State = { ids: ReadonlyArray<string> };

export function reducer(state: State, action: Action): State {
  switch (action.type) {
    case "add":
      return state.ids.includes(action.id) ? state : { ...state, ids: [...state.ids, action.id] };
    case "remove":
      return { ...state, ids: state.ids.filter((id) => id !== action.id) };
    case "clear":
      return { ids: [] };
    default: {
      const never: never = action;
      return never;
    }
  }
}
