import { useLayoutEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * The secret of the link that opened this page, `#name=…`, or '' without one. It is removed from the address at once
 * and kept in this entry of the tab's history, where a reload and going back still find it. Links from earlier releases
 * have it in the query, where logs of proxies see it.
 */
export function useLinkSecret(name: string): string {
  const location = useLocation()
  const navigate = useNavigate()
  const inAddress = secretIn(location.hash, name) ?? secretIn(location.search, name)
  // Only this hook writes this state.
  const kept = (location.state as { linkSecret?: string } | null)?.linkSecret
  useLayoutEffect(() => {
    if (inAddress === null) return
    const state = { ...(location.state as object | null), linkSecret: inAddress }
    void navigate({ search: without(location.search, name), hash: '' }, { replace: true, state })
  }, [inAddress, location, name, navigate])
  return inAddress ?? kept ?? ''
}

/** `part` is the query or the fragment, with its first character. */
function secretIn(part: string, name: string): string | null {
  return new URLSearchParams(part.slice(1)).get(name) || null
}

function without(search: string, name: string): string {
  const params = new URLSearchParams(search)
  params.delete(name)
  return params.toString()
}
