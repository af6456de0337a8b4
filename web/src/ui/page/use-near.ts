import { type RefObject, useEffect, useState } from 'react'

/** Distance from the window within which an element counts as near. */
const margin = '400px'

/** Whether an element has been near the visible part of the page. `isEager`: true from the start. */
export function useNear(element: RefObject<Element | null>, isEager: boolean): boolean {
  const [isNear, setNear] = useState(typeof IntersectionObserver === 'undefined')
  const isWanted = isNear || isEager
  useEffect(() => {
    if (isWanted || !element.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: margin },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isWanted])
  return isWanted
}
