import { type ComponentType, useRef, useState } from 'react'
import { notifyError } from '#ui/feedback/notify.ts'

/**
 * A part of the shell whose code is loaded on first use. Null until then; `ask` may be called repeatedly. A failure to
 * load is shown, and the next `ask` tries again.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>) {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null)
  const isLoading = useRef(false)
  const ask = (): void => {
    if (Part || isLoading.current) return
    isLoading.current = true
    load()
      // Wrapped in a function: a component is a function itself, which `setState` would call.
      .then((part) => setPart(() => part))
      .catch(() => notifyError('This part could not be loaded. Check your connection and try again.'))
      .finally(() => (isLoading.current = false))
  }
  return { Part, ask }
}
