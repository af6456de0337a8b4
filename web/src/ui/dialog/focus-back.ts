import { useEffect, useState } from 'react'

/** Gives the focus back to what opened a dialog. A modal does so when it closes, but not when it is taken away. */
export function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // Once the page behind takes the focus again.
      if (opener instanceof HTMLElement) requestAnimationFrame(() => opener.focus())
    },
    [opener],
  )
}
