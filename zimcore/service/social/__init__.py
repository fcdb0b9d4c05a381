"""What people do around a game, without a folder in `zimcore.features`: chat, orders, notifications, leagues."""
