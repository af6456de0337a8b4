import { ActionIcon, type MantineColorScheme, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import IconCheck from '#icons/IconCheck'
import IconDeviceDesktop from '#icons/IconDeviceDesktop'
import IconMoon from '#icons/IconMoon'
import IconSun from '#icons/IconSun'
import { BarMenu } from './bar-menu.tsx'
import { Hint } from './hint.tsx'
import css from './bar-menu.module.css'

export const themes = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'System', Icon: IconDeviceDesktop },
] as const satisfies { value: MantineColorScheme; label: string; Icon: unknown }[]

/** Light, dark, or the system's color scheme. */
export function ThemeMenu({ className, iconClassName }: { className?: string | undefined; iconClassName: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const current = themes.find(({ value }) => value === colorScheme) ?? themes[2]
  const label = `Theme: ${current.label.toLowerCase()}`
  return (
    <BarMenu
      label="Theme"
      width={170}
      className={className}
      trigger={(button, isOpen) => (
        <Hint label={label} isOff={isOpen}>
          <ActionIcon size={32} aria-label={label} classNames={{ root: iconClassName }} {...button}>
            <current.Icon size={19} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Hint>
      )}
    >
      {(close) =>
        themes.map(({ value, label: name, Icon }) => (
          <UnstyledButton
            key={value}
            className={css['entry'] ?? ''}
            aria-pressed={value === colorScheme}
            onClick={() => {
              setColorScheme(value)
              close()
            }}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            {name}
            {value === colorScheme && <IconCheck size={16} className={css['check']} aria-hidden />}
          </UnstyledButton>
        ))
      }
    </BarMenu>
  )
}
