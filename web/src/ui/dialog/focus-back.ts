import { useEffect, useState } from 'react'

/** Returns the focus to the element that opened a dialog. A modal does so when it closes, but not when unmounted. */
export function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (!(opener instanceof HTMLElement)) return
      // Wait until the page behind is focusable again. By then, the user may be typing in the next dialog.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) opener.focus()
      })
    },
    [opener],
  )
}
