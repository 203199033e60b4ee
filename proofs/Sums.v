(* Finite sums and vectors, in the few forms that the statements need.

   A vector of R^d is a function of the coordinate of which only the first d values matter; a
   matrix is a function of the row.  All sums are finite and begin at 0, as in the library. *)

From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

(* [sum n u] is u 0 + ... + u (n - 1). *)
Fixpoint sum (n : nat) (u : nat -> R) : R :=
  match n with O => 0 | S k => sum k u + u k end.

Definition dot (d : nat) (u v : nat -> R) : R := sum d (fun j => u j * v j).
Definition minus (u v : nat -> R) (j : nat) : R := u j - v j.
Definition norm (d : nat) (u : nat -> R) : R := sqrt (dot d u u).

(* The positive part, and the indicators of the paper. *)
Definition pos (u : R) : R := Rmax u 0.
Definition above (u t : R) : R := if Rlt_dec t u then 1 else 0.

Lemma Rabs_le_between u b : Rabs u <= b -> - b <= u <= b.
Proof. unfold Rabs. destruct (Rcase_abs u); lra. Qed.

(* Sums are compared, added and scaled term by term; every proof is an induction on their length. *)
Lemma sum_ext n u v : (forall i, (i < n)%nat -> u i = v i) -> sum n u = sum n v.
Proof. induction n; intros H; simpl; [easy|]. rewrite IHn, (H n); auto. Qed.

Lemma sum_le n u v : (forall i, (i < n)%nat -> u i <= v i) -> sum n u <= sum n v.
Proof.
  induction n; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply IHn; auto | apply H; lia].
Qed.

Lemma sum_plus n u v : sum n (fun i => u i + v i) = sum n u + sum n v.
Proof. induction n; simpl; [|rewrite IHn]; lra. Qed.

Lemma sum_minus n u v : sum n (fun i => u i - v i) = sum n u - sum n v.
Proof. induction n; simpl; [|rewrite IHn]; lra. Qed.

Lemma sum_scal n c u : sum n (fun i => c * u i) = c * sum n u.
Proof. induction n; simpl; [|rewrite IHn]; lra. Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; lra|]. rewrite S_INR; simpl; rewrite IHn; lra. Qed.

Lemma sum_pos n u : (forall i, (i < n)%nat -> 0 <= u i) -> 0 <= sum n u.
Proof.
  intros H. apply Rle_trans with (sum n (fun _ => 0)); [rewrite sum_const; lra | now apply sum_le].
Qed.

Lemma sum_swap n k (u : nat -> nat -> R) :
  sum n (fun i => sum k (u i)) = sum k (fun j => sum n (fun i => u i j)).
Proof.
  induction n; simpl; [rewrite sum_const; lra|]. now rewrite IHn, <- sum_plus.
Qed.

Lemma sum_abs n u : Rabs (sum n u) <= sum n (fun i => Rabs (u i)).
Proof.
  induction n; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma sum_term n u i : (forall j, (j < n)%nat -> 0 <= u j) -> (i < n)%nat -> u i <= sum n u.
Proof.
  induction n; intros H Hi; [lia|]. simpl.
  destruct (Nat.eq_dec i n) as [->|]; [assert (0 <= sum n u) by (apply sum_pos; auto); lra|].
  assert (u i <= sum n u) by (apply IHn; [auto|lia]). assert (0 <= u n) by (apply H; lia). lra.
Qed.

(* One of finitely many values is the largest. *)
Lemma largest_of n (u : nat -> R) :
  exists j, (j < S n)%nat /\ forall i, (i < S n)%nat -> u i <= u j.
Proof.
  induction n as [|n [j [Hj M]]].
  - exists 0%nat. split; [lia|]. intros i Hi. replace i with 0%nat by lia. lra.
  - destruct (Rle_dec (u (S n)) (u j)).
    + exists j. split; [lia|]. intros i Hi.
      destruct (Nat.eq_dec i (S n)) as [->|]; [assumption | apply M; lia].
    + exists (S n). split; [lia|]. intros i Hi.
      destruct (Nat.eq_dec i (S n)) as [->|]; [lra|]. specialize (M i ltac:(lia)). lra.
Qed.

Lemma dot_minus_l d u v x : dot d (minus u v) x = dot d u x - dot d v x.
Proof.
  unfold dot, minus. rewrite <- sum_minus. apply sum_ext. intros. ring.
Qed.

Lemma dot_scal_l d c u x : dot d (fun j => c * u j) x = c * dot d u x.
Proof. unfold dot. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.

Lemma dot_sym d u v : dot d u v = dot d v u.
Proof. unfold dot. apply sum_ext. intros. ring. Qed.

Lemma dot_ge0 d u : 0 <= dot d u u.
Proof. apply sum_pos. intros. apply Rle_0_sqr. Qed.

(* |u - c v|^2 >= 0 for the best c is Cauchy's and Schwarz's inequality. *)
Lemma cauchy_schwarz_sq d u v : dot d u v * dot d u v <= dot d u u * dot d v v.
Proof.
  pose proof (dot_ge0 d u) as Hu. pose proof (dot_ge0 d v) as Hv.
  assert (H : forall c e, 0 <= c * c * dot d u u - 2 * c * e * dot d u v + e * e * dot d v v).
  { intros c e.
    replace (c * c * dot d u u - 2 * c * e * dot d u v + e * e * dot d v v)
      with (sum d (fun j => (c * u j - e * v j) * (c * u j - e * v j))).
    - apply sum_pos. intros. apply Rle_0_sqr.
    - unfold dot. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros. ring. }
  destruct (Req_dec (dot d v v) 0) as [E|E].
  - (* then every multiple of u.v is below a constant, so u.v is 0 *)
    destruct (Req_dec (dot d u v) 0) as [->|N]; [nra|].
    specialize (H (1) ((dot d u u + 1) / (2 * dot d u v))). rewrite E in H.
    assert (2 * 1 * ((dot d u u + 1) / (2 * dot d u v)) * dot d u v = dot d u u + 1)
      by (field; lra). nra.
  - specialize (H (dot d v v) (dot d u v)). nra.
Qed.

Lemma norm_ge0 d u : 0 <= norm d u.
Proof. apply sqrt_pos. Qed.

Lemma norm_sq d u : norm d u * norm d u = dot d u u.
Proof. apply sqrt_sqrt, dot_ge0. Qed.

Lemma cauchy_schwarz d u v : Rabs (dot d u v) <= norm d u * norm d v.
Proof.
  unfold norm. rewrite <- sqrt_mult, <- sqrt_Rsqr_abs by apply dot_ge0.
  apply sqrt_le_1_alt. apply cauchy_schwarz_sq.
Qed.

Lemma norm_scal d c u : norm d (fun j => c * u j) = Rabs c * norm d u.
Proof.
  unfold norm. rewrite <- sqrt_Rsqr_abs, <- sqrt_mult by (apply Rle_0_sqr || apply dot_ge0).
  f_equal. unfold dot, Rsqr. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(* The norm of a difference is Minkowski's inequality, by Cauchy's and Schwarz's. *)
Lemma norm_minus d u v : norm d (minus u v) <= norm d u + norm d v.
Proof.
  apply Rsqr_incr_0_var; [|pose proof (norm_ge0 d u); pose proof (norm_ge0 d v); lra].
  unfold Rsqr. rewrite norm_sq, dot_minus_l, !(dot_sym d _ (minus u v)), !dot_minus_l.
  pose proof (cauchy_schwarz d u v) as C. apply Rabs_le_between in C.
  rewrite (dot_sym d v u). rewrite <- !norm_sq. nra.
Qed.
