import type { ComponentType } from 'react'
import { createPath, type Location } from 'react-router'
import { withAccount } from '#lib/session/address-account.ts'

const reloadedKey = 'portico.reloadedForUpdate'
/** A second failure this soon after the reload means that reloading does not help. */
const reloadAgainAfterMs = 60_000

/** A screen's code that has not come by then does not come (specification 1 §8). */
const givesUpAfterMs = 120_000

/** A part of the portal could not be loaded, even after a reload. */
export class ScreenLoadError extends Error {
  constructor(cause: unknown) {
    super('This part of the portal could not be loaded.', { cause })
    this.name = 'ScreenLoadError'
  }
}

/**
 * Loads a screen's code. After an update of the portal an open tab asks for files that are gone: the page is then
 * loaded again, once, at the `destination` of the router, and comes back in the new version. So it is when the code does
 * not come.
 */
export async function loadScreen(
  destination: () => Location,
  load: () => Promise<ComponentType>,
): Promise<{ Component: ComponentType }> {
  try {
    return { Component: await inTime(load()) }
  } catch (error) {
    const reloadedAt = Number(sessionStorage.getItem(reloadedKey))
    if (Date.now() - reloadedAt < reloadAgainAfterMs) throw new ScreenLoadError(error)
    // Without a portal to load from, the browser would put its own page in place of ours.
    if (!(await isPortalThere())) throw new ScreenLoadError(error)
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    reloadAt(destination())
    // The page is going away; nothing is to be drawn until it has.
    return new Promise(() => undefined)
  }
}

/** Loads the page again at a location, with its state: the sign-in keeps there where it returns to. */
function reloadAt({ state, key, ...path }: Location): void {
  const address = withAccount(createPath(path))
  const { pathname, search, hash } = window.location
  // On the way to the screen the address still names the page before. The entry is in the form of the router's history.
  if (address !== pathname + search + hash) window.history.pushState({ usr: state as unknown, key }, '', address)
  window.location.reload()
}

function inTime<T>(loading: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The screen took too long to load.')), givesUpAfterMs)
  return Promise.race([loading, late]).finally(() => clearTimeout(timer))
}

const isPortalThere = (): Promise<boolean> =>
  fetch('/healthz').then(
    ({ ok }) => ok,
    () => false,
  )
