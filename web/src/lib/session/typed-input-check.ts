let check = (): boolean => false

/** Sets how the session finds out whether the page holds unsaved input. The app sets it, so that `lib` needs no `ui`. */
export function setTypedInputCheck(hasTypedInput: () => boolean): void {
  check = hasTypedInput
}

/** True when the page holds input that leaving it would lose. */
export const hasUnsavedInput = (): boolean => check()
