import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import IconMoon from '#icons/IconMoon'
import IconSun from '#icons/IconSun'

/** The scheme in use, and the change to the other one. */
export function useColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  return {
    label: isDark ? 'Use the light theme' : 'Use the dark theme',
    Icon: isDark ? IconSun : IconMoon,
    change: () => setColorScheme(isDark ? 'light' : 'dark'),
  }
}

export function ColorSchemeButton({ className }: { className?: string }) {
  const { label, Icon, change } = useColorSchemeSwitch()
  return (
    <Tooltip label={label}>
      <ActionIcon size={32} aria-label={label} onClick={change} classNames={{ root: className ?? '' }}>
        <Icon size={19} stroke={1.7} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
