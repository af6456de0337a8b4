import type { Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction, readInteraction as read } from '@portico/contract/dashboards/interaction-reading'
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { isUntouched } from './interaction-changes.ts'

// A viewer's choices are kept in the address, where they can be shared and survive a reload. Choices too long for an
// address are kept in the tab, and the address names them by a key that only this tab knows.

const parameter = 'chosen'
/** Length of an address that every program passes on. */
const mostCharacters = 4096
const keptMark = 'tab-'

/** The interaction in the address; no choices if it cannot be read. */
export function readInteraction(params: URLSearchParams): Interaction {
  const text = params.get(parameter)
  if (text === null) return noInteraction
  const json = text.startsWith(keptMark) ? sessionStorage.getItem(text) : text
  try {
    return read(JSON.parse(json ?? '')) ?? noInteraction
  } catch {
    return noInteraction
  }
}

/** The address with the interaction added. */
export function writeInteraction(params: URLSearchParams, interaction: Interaction): URLSearchParams {
  const next = new URLSearchParams(params)
  if (isUntouched(interaction)) {
    next.delete(parameter)
    return next
  }
  const { clicks, choices, ranges } = interaction
  const json = JSON.stringify({
    ...(clicks.length > 0 && { clicks }),
    ...(choices.length > 0 && { choices }),
    ...(ranges.length > 0 && { ranges }),
  })
  next.set(parameter, encodeURIComponent(json).length <= mostCharacters ? json : keepInTab(json))
  return next
}

function keepInTab(json: string): string {
  const key = `${keptMark}${crypto.randomUUID().slice(0, 8)}`
  sessionStorage.setItem(key, json)
  return key
}

/** Whether the shown address works in this tab only. */
const isKeptInTab = (params: URLSearchParams): boolean => params.get(parameter)?.startsWith(keptMark) ?? false

/** A viewer's choices on a dashboard, and the function that changes them. */
export type Choosing = { interaction: Interaction; change: (next: (now: Interaction) => Interaction) => void }

/** The viewer's choices on the shown dashboard, and the function that changes them. */
export function useInteraction() {
  const [params, setParams] = useSearchParams()
  const text = params.get(parameter)
  // Parsed again only when it changes: all cells depend on it.
  // oxlint-disable-next-line react/exhaustive-deps
  const interaction = useMemo(() => readInteraction(params), [text])
  const change = useCallback(
    (next: (now: Interaction) => Interaction) =>
      setParams((now) => writeInteraction(now, next(readInteraction(now))), { replace: true }),
    [setParams],
  )
  return { interaction, change, isShareable: !isKeptInTab(params) }
}
