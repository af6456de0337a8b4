import type { ComponentType } from 'react'
import { createPath, type Location } from 'react-router'
import { withAccount } from '#lib/session/address-account.ts'

const reloadedKey = 'portico.reloadedForUpdate'
/** A second failure this soon after the reload means that reloading does not help. */
const reloadAgainAfterMs = 60_000

/** A screen's code that has not arrived by then is not going to (specification 1 §8). */
const givesUpAfterMs = 120_000

/** A part of the portal could not be loaded, even after a reload. */
export class ScreenLoadError extends Error {
  constructor(cause: unknown) {
    super('This part of the portal could not be loaded.', { cause })
    this.name = 'ScreenLoadError'
  }
}

/**
 * Loads a screen's code. After an update of the portal, an open tab requests files that no longer exist: the page is
 * then reloaded once, at the router's `destination`, and returns in the new version. The same happens when the code
 * does not arrive in time.
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
    // If the portal cannot be reached, a reload would replace our page with the browser's error page.
    if (!(await isPortalThere())) throw new ScreenLoadError(error)
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    reloadAt(destination())
    // The page is unloading: render nothing.
    return new Promise(() => undefined)
  }
}

/** Reloads the page at a location, with its state: the sign-in keeps the place it returns to there. */
function reloadAt({ state, key, ...path }: Location): void {
  const address = withAccount(createPath(path))
  const { pathname, search, hash } = window.location
  // During a navigation the address is still that of the previous page. The entry has the form of the router's history.
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
