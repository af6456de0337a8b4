import { useSyncExternalStore } from 'react'

type Store<T> = ReturnType<typeof createStore<T>>

/** Holds one value outside React; `subscribe` returns the function that ends the subscription. */
export function createStore<T>(value: T) {
  const listeners = new Set<() => void>()
  return {
    get: (): T => value,
    set(next: T): void {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Returns the store's value, or the part that `select` picks; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S
export function useStore<T, S>(store: Store<T>, select?: (value: T) => S): T | S {
  return useSyncExternalStore(store.subscribe, () => (select ? select(store.get()) : store.get()))
}
