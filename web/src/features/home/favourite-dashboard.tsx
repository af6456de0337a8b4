import { useEffect, useState } from 'react'
import { paths } from '#lib/paths.ts'
import { isMenuVisible } from '#lib/session/menus.ts'
import { useCan, useUser } from '#lib/session/session.ts'
import { deferred } from '#ui/page/deferred.tsx'
import { useFavourite } from './home-queries.ts'

// Tiles need the code of cells, which most people's first page does not.
const FavouriteTiles = deferred(async () => (await import('./favourite-tiles.tsx')).FavouriteTiles)

/** The key figures of the user's favorite dashboard in this account; renders nothing without one. */
export function FavouriteDashboard() {
  const canView = useCan('contact-dashboards-view')
  const canList = useCan('contact-dashboards-list')
  const isBuilding = isMenuVisible({ menu: 'contactservice' }, useUser()) && canList
  const { data: favourite } = useFavourite(canView)
  const isPainted = useIsPainted()
  if (!favourite || !isPainted) return null
  const dashboard = { dashboard: favourite._id }
  const to = isBuilding ? paths.ownDashboards(dashboard) : paths.dashboards(dashboard)
  return <FavouriteTiles id={favourite._id} to={to} />
}

/** Whether the browser has painted part of the portal yet; true if it cannot say. */
function useIsPainted(): boolean {
  const [isPainted, setPainted] = useState(!canObservePaint)
  useEffect(() => {
    if (isPainted) return undefined
    const observer = new PerformanceObserver((list) => {
      if (list.getEntriesByName(contentfulPaint).length > 0) setPainted(true)
    })
    observer.observe({ type: 'paint', buffered: true })
    return () => observer.disconnect()
  }, [isPainted])
  return isPainted
}

const contentfulPaint = 'first-contentful-paint'
const canObservePaint = window.PerformanceObserver?.supportedEntryTypes?.includes('paint') ?? false
