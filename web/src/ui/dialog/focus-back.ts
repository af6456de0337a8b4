import { useEffect, useState } from 'react'

/** Gives the focus back to what opened a dialog. A modal does so when it closes, but not when it is taken away. */
export function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (!(opener instanceof HTMLElement)) return
      // Once the page behind takes the focus again. By then, the user may be typing in the next dialog.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) opener.focus()
      })
    },
    [opener],
  )
}
