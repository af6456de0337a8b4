import { type RefObject, useEffect } from 'react'

/**
 * Focuses a field, or the first field or button in a part of the page, once it is rendered. For pages whose whole
 * purpose is that field.
 */
export function useInitialFocus(target: RefObject<HTMLElement | null>, isThere = true): void {
  useEffect(() => {
    if (!isThere) return
    const element = target.current
    const isControl = element?.matches('input, button')
    const first = isControl ? element : element?.querySelector<HTMLElement>('input, button')
    first?.focus()
  }, [target, isThere])
}
