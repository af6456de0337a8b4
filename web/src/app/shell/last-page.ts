import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useUser } from '#lib/session/session.ts'
import { noteLastPage } from '#lib/session/session-store.ts'
import { useSetting } from '#lib/settings.ts'
import { mayOpen } from '../access.ts'

/** Remembers the page that the user is on: the next sign-in leads there if the setting is on. */
export function useLastPage(): void {
  const user = useUser()
  const { pathname, search } = useLocation()
  const [keepsLast] = useSetting('keepLastPageViewed')
  const isNoted = keepsLast && !user.isImpersonated && mayOpen(pathname, user)
  useEffect(() => {
    if (isNoted) noteLastPage(user.email, pathname + search)
  }, [isNoted, user.email, pathname, search])
}
