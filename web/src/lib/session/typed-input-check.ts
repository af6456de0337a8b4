let check = (): boolean => false

/** Sets how the session checks the page for unsaved input. The app sets it because `lib` must not import `ui`. */
export function setTypedInputCheck(hasTypedInput: () => boolean): void {
  check = hasTypedInput
}

/** Whether leaving the page would lose input. */
export const hasUnsavedInput = (): boolean => check()
