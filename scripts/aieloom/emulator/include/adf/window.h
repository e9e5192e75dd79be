// Windows: the interface of kernels to buffers before 2022.2 [UG1076 Window and Streaming Data API].
//
// A window's pointer starts at its first byte (of the margin where there is one) and wraps at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "aieloom/buffer.h"
#include "aieloom/direction.h"

namespace adf {

/// A window of `T`; lives for one call of the kernel.
template <typename T, aieloom::Direction D>
class io_window {
 public:
  using value_type = T;

  explicit io_window(aieloom::BufferPort& port) : port_(&port) {
    if (port.held()) {
      open();
    } else {
      total_ = static_cast<long long>(port_->bytes() + port_->margin());
      head = reinterpret_cast<T*>(port.place());
    }
  }
  /// Of no buffer, until window_copy gives it one.
  io_window() = default;
  io_window(const io_window&) = delete;
  io_window& operator=(const io_window&) = delete;

  /// Become a second pointer into another window's buffer, where that one's is.
  void follow(const io_window& other) {
    port_ = other.port_;
    total_ = other.total_;
    appended_ = other.appended_;
    ptr = other.ptr;
    head = other.head;
  }

  void acquire() {
    port_->acquire();
    open();
  }
  void release() {
    port_->release();
    ptr = nullptr;
  }

  /// Elements without the margin.
  [[nodiscard]] std::size_t size() const { return port_->bytes() / sizeof(T); }

  /// Move by bytes, around the end.
  void move(long long bytes) {
    std::byte* base = reach(0);
    long long at = place(base) + bytes % total_;
    at += at < 0 ? total_ : at >= total_ ? -total_ : 0;
    ptr = reinterpret_cast<T*>(base + at);
  }

  /// Copy `bytes` from the pointer's place on.
  void read(void* target, std::size_t bytes) const {
    const std::byte* base = reach(bytes);
    const long long at = place(base);
    const std::size_t straight = static_cast<std::size_t>(total_ - at) < bytes ? static_cast<std::size_t>(total_ - at) : bytes;
    std::memcpy(target, base + at, straight);
    std::memcpy(static_cast<std::byte*>(target) + straight, base, bytes - straight);
  }
  void write(const void* source, std::size_t bytes) {
    std::byte* base = reach(bytes);
    const long long at = place(base);
    const std::size_t straight = static_cast<std::size_t>(total_ - at) < bytes ? static_cast<std::size_t>(total_ - at) : bytes;
    std::memcpy(base + at, source, straight);
    std::memcpy(base, static_cast<const std::byte*>(source) + straight, bytes - straight);
  }
  /// A write that moves on: data written twice around the window would be lost, which the emulator refuses.
  void append(const void* source, std::size_t bytes) {
    appended_ += static_cast<long long>(bytes);
    if (appended_ > total_) {
      port_->beyond(appended_ - static_cast<long long>(bytes), bytes);
    }
    write(source, bytes);
    move(static_cast<long long>(bytes));
  }
  /// After a move of the user's own: what is appended now may overwrite on purpose.
  void moved_back(long long bytes) { appended_ = appended_ > bytes ? appended_ - bytes : 0; }

  /// The pointer itself, as old code passes it to vector code.
  [[nodiscard]] T* pointer() const {
    std::byte* base = reach(0);
    return reinterpret_cast<T*>(base + place(base));
  }
  /// The same as a member, which old code reads and sets; what is done through it is not checked. While it is null the
  /// window is not acquired; kernels of libraries set it to `head` in an asynchronous window that they fill themselves.
  T* ptr = nullptr;
  /// Where the window begins, its margin first; libraries read it.
  T* head = nullptr;

 private:
  void open() {
    total_ = static_cast<long long>(port_->bytes() + port_->margin());
    appended_ = 0;
    ptr = head = reinterpret_cast<T*>(port_->data());
  }
  [[nodiscard]] std::byte* reach(std::size_t bytes) const {
    if (static_cast<long long>(bytes) > total_) {
      port_->beyond(0, bytes);
    }
    return !port_->held() && ptr != nullptr ? port_->place() : port_->data();
  }
  /// How far the pointer is from the window's first byte; one that was set elsewhere is taken around the end.
  [[nodiscard]] long long place(const std::byte* base) const {
    const long long at = reinterpret_cast<const std::byte*>(ptr) - base;
    return at >= 0 && at < total_ ? at : (at % total_ + total_) % total_;
  }

  aieloom::BufferPort* port_ = nullptr;
  long long total_ = 0, appended_ = 0;
};

template <typename T>
using input_window = io_window<T, aieloom::Direction::kIn>;
template <typename T>
using output_window = io_window<T, aieloom::Direction::kOut>;

template <typename T, aieloom::Direction D>
void window_copy(io_window<T, D>* target, const io_window<T, D>* source) {
  target->follow(*source);
}
template <typename T, aieloom::Direction D>
void window_acquire(io_window<T, D>* w) {
  w->acquire();
}
template <typename T, aieloom::Direction D>
void window_release(io_window<T, D>* w) {
  w->release();
}
template <typename T, aieloom::Direction D>
unsigned window_size(const io_window<T, D>* w) {
  return static_cast<unsigned>(w->size());
}

template <typename T, aieloom::Direction D>
void window_incr(io_window<T, D>* w, int elements) {
  w->move(static_cast<long long>(elements) * static_cast<long long>(sizeof(T)));
}
template <typename T, aieloom::Direction D>
void window_decr(io_window<T, D>* w, int elements) {
  const auto bytes = static_cast<long long>(elements) * static_cast<long long>(sizeof(T));
  w->move(-bytes);
  w->moved_back(bytes);
}
template <typename T, aieloom::Direction D>
void window_incr_bytes(io_window<T, D>* w, int bytes) {
  w->move(bytes);
}
template <typename T, aieloom::Direction D>
void window_decr_bytes(io_window<T, D>* w, int bytes) {
  w->move(-bytes);
  w->moved_back(bytes);
}
// By vectors of N elements.
#define AIELOOM_WINDOW_MOVES(N)                              \
  template <typename T, aieloom::Direction D>                \
  void window_incr_v##N(io_window<T, D>* w, int count = 1) { \
    window_incr(w, (N) * count);                             \
  }                                                          \
  template <typename T, aieloom::Direction D>                \
  void window_decr_v##N(io_window<T, D>* w, int count = 1) { \
    window_decr(w, (N) * count);                             \
  }
AIELOOM_WINDOW_MOVES(2)
AIELOOM_WINDOW_MOVES(4)
AIELOOM_WINDOW_MOVES(8)
AIELOOM_WINDOW_MOVES(16)
AIELOOM_WINDOW_MOVES(32)
AIELOOM_WINDOW_MOVES(64)
#undef AIELOOM_WINDOW_MOVES
template <unsigned N, typename T, aieloom::Direction D>
void window_incr_v(io_window<T, D>* w, int count = 1) {
  window_incr(w, static_cast<int>(N) * count);
}
template <unsigned N, typename T, aieloom::Direction D>
void window_decr_v(io_window<T, D>* w, int count = 1) {
  window_decr(w, static_cast<int>(N) * count);
}

template <typename T>
T window_read(input_window<T>* w) {
  T value;
  w->read(&value, sizeof value);
  return value;
}
template <typename T>
T window_readincr(input_window<T>* w) {
  const T value = window_read(w);
  w->move(sizeof(T));
  return value;
}
template <typename T>
T window_readdecr(input_window<T>* w) {
  const T value = window_read(w);
  w->move(-static_cast<long long>(sizeof(T)));
  return value;
}

namespace detail {

/// Numbers and vectors of T that a window of T moves in one piece.
template <typename T, typename V>
inline constexpr bool kOfWindow = std::is_convertible_v<V, T> || (std::is_class_v<V> && std::is_copy_constructible_v<V> &&
                                                                  sizeof(V) % sizeof(T) == 0 && sizeof(V) > sizeof(T));

}  // namespace detail

template <typename T, typename V>
void window_read(input_window<T>* w, V& value) {
  w->read(&value, sizeof value);
}
template <typename T, typename V>
void window_readincr(input_window<T>* w, V& value) {
  w->read(&value, sizeof value);
  w->move(sizeof value);
}
template <typename T, typename V>
void window_readdecr(input_window<T>* w, V& value) {
  w->read(&value, sizeof value);
  w->move(-static_cast<long long>(sizeof value));
}

/// Write a number, converted to T, or a vector of T.
template <typename T, typename V>
void window_write(output_window<T>* w, const V& value) {
  static_assert(detail::kOfWindow<T, V>, "a window takes numbers of its type, and vectors of them");
  if constexpr (std::is_convertible_v<V, T>) {
    const T number = static_cast<T>(value);
    w->write(&number, sizeof number);
  } else {
    w->write(&value, sizeof value);
  }
}
template <typename T, typename V>
void window_writeincr(output_window<T>* w, const V& value) {
  static_assert(detail::kOfWindow<T, V>, "a window takes numbers of its type, and vectors of them");
  if constexpr (std::is_convertible_v<V, T>) {
    const T number = static_cast<T>(value);
    w->append(&number, sizeof number);
  } else {
    w->append(&value, sizeof value);
  }
}
template <typename T, typename V>
void window_writedecr(output_window<T>* w, const V& value) {
  window_write(w, value);
  constexpr std::size_t bytes = std::is_convertible_v<V, T> ? sizeof(T) : sizeof(V);
  w->move(-static_cast<long long>(bytes));
}

}  // namespace adf
