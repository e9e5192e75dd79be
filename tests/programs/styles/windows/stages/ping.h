// A ping's samples, how far the hold looks back, and how many thresholds grade an echo.
#ifndef PING_H
#define PING_H
#define PING 40
#define REACH 8
#define THRESHOLDS 5
#endif
