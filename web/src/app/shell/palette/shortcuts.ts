import type { User } from '@portico/contract/sign-in'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '#lib/paths.ts'
import { useUser } from '#lib/session/session.ts'
import { mayOpen } from '../../access.ts'

/** Screens opened by `g`, then this key. */
const places = [
  { key: 'h', label: 'Home', path: paths.home() },
  { key: 'd', label: 'Dashboards', path: paths.dashboards() },
  { key: 'l', label: 'Downloads', path: paths.downloads() },
  { key: 'i', label: 'Imports', path: paths.imports() },
  { key: 'e', label: 'Exports', path: paths.exports() },
  { key: 's', label: 'Search & Analyze', path: paths.contacts() },
  { key: 'a', label: 'Identity & Access', path: paths.iam() },
] as const

export type Place = (typeof places)[number]

/** The places that the user may go to. */
export const openPlaces = (user: User): Place[] => places.filter(({ path }) => mayOpen(path, user))

/** A key typed later than this after `g` counts on its own. */
const secondKeyWithinMs = 1500

/** Single-key shortcuts interfere with speech input, so they can be turned off. */
export const useAreKeysOn = () =>
  useLocalStorage({ key: 'portico.shortcuts', defaultValue: true, getInitialValueInEffect: false })

export type ShortcutActions = { onPalette: () => void; onHelp: () => void; onMenuToggle: () => void }

/** Listens for keyboard shortcuts; while the user types in a field, only for Ctrl+K. */
export function useShortcuts(actions: ShortcutActions): void {
  const navigate = useNavigate()
  const user = useUser()
  const [areKeysOn] = useAreKeysOn()
  const pressedGAt = useRef(0)
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const single: Record<string, () => boolean | void> = {
      '/': focusSearch,
      '?': () => latest.current.onHelp(),
      '[': () => latest.current.onMenuToggle(),
      g: () => void (pressedGAt.current = Date.now()),
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      if (isPaletteKey(event)) {
        event.preventDefault()
        return latest.current.onPalette()
      }
      if (!areKeysOn || event.ctrlKey || event.metaKey || isBusy(event.target)) return
      const isSecond = Date.now() - pressedGAt.current < secondKeyWithinMs
      pressedGAt.current = 0
      const place = isSecond ? openPlaces(user).find(({ key }) => key === event.key.toLowerCase()) : undefined
      if (place) return void navigate(place.path)
      const act = Object.hasOwn(single, event.key) ? single[event.key] : undefined
      if (act && act() !== false) event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [areKeysOn, navigate, user])
}

const isPaletteKey = ({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !shiftKey

/** The user is typing, or a dialog is open. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[aria-modal="true"]')) return true
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, [role="menu"], [role="listbox"]') !== null
}

/** Focuses the screen's search box; false if it has none. */
function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>('main input[type="search"], main input[aria-label^="Search"]')
  box?.focus()
  box?.select()
  return box !== null
}
