import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useSetting } from '#lib/settings.ts'

/** Records the calling screen as the last page viewed, which `/iam` opens next time, unless the settings disable it. */
export function useLastPageViewed(): void {
  const { pathname } = useLocation()
  const [keeps] = useSetting('keepLastPageViewed')
  const [last, setLast] = useSetting('lastPageViewed')
  useEffect(() => {
    if (keeps && last !== pathname) setLast(pathname)
  }, [keeps, last, pathname, setLast])
}
