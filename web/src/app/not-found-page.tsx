import { Button } from '@mantine/core'
import { Link } from 'react-router'
import IconMapPinSearch from '#icons/IconMapPinSearch'
import { MessagePage } from './message-page.tsx'
import { homePath } from './screens.ts'

export function NotFoundPage() {
  return (
    <MessagePage
      title="Page not found"
      icon={<IconMapPinSearch size={26} />}
      action={
        <Button component={Link} to={homePath}>
          Go to the home page
        </Button>
      }
    >
      Check the address. The page may have moved.
    </MessagePage>
  )
}
