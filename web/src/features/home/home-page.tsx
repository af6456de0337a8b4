import { useState } from 'react'
import { InvitationNotices } from '#domain/invitations'
import { usePageTitle } from '#lib/deployment.ts'
import { useAccount, useUser } from '#lib/session/session.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { FavouriteDashboard } from './favourite-dashboard.tsx'
import { Figures } from './figures.tsx'
import { greeting } from './greeting.ts'
import { RecentActivity } from './recent-activity.tsx'
import { QuickActions } from './quick-actions.tsx'
import css from './home-page.module.css'

/** Home page: key figures of the account, recent activity, quick actions and the figures of the favorite dashboard. */
export function HomePage() {
  usePageTitle('Home')
  const { userName, email, isImpersonated } = useUser()
  const { name } = useAccount()
  const [openedAt] = useState(() => new Date())
  return (
    <>
      <PageHeader title={greeting(openedAt, userName ?? email)} description={name || ' '} />
      {!isImpersonated && <InvitationNotices />}
      <Figures />
      <div className={css['columns']}>
        <RecentActivity />
        <QuickActions />
        {/* Last in its column, to avoid a layout shift when it appears. */}
        <FavouriteDashboard />
      </div>
    </>
  )
}
