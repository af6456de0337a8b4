import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useSetting } from '#lib/settings.ts'

/** The screen that calls it is the last page viewed, where `/iam` leads next time; unless the settings say otherwise. */
export function useLastPageViewed(): void {
  const { pathname } = useLocation()
  const [keeps] = useSetting('keepLastPageViewed')
  const [last, setLast] = useSetting('lastPageViewed')
  useEffect(() => {
    if (keeps && last !== pathname) setLast(pathname)
  }, [keeps, last, pathname, setLast])
}
